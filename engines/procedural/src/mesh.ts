import { clamp, smoothstep } from './colour.ts';
import type { Random } from './random.ts';
import type { Raster } from './raster.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Mesh {
  readonly points: readonly Point[];
  /** Indexes into points. */
  readonly triangles: readonly Triangle[];
}

interface Triangle {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** The circumscribed circle. */
  readonly x: number;
  readonly y: number;
  readonly squared: number;
}

/** Makes Delaunay triangles with Paul Bourke's sweep: a triangle is final once its circle lies left of the sweep. */
export function triangulate(points: readonly Point[], width: number, height: number): Mesh {
  const far = Math.max(width, height) * 20;
  const all = [...points, { x: -far, y: -far }, { x: far, y: -far }, { x: 0, y: far }];
  const count = points.length;
  const order = points
    .map((_, index) => index)
    .sort((one, other) => (all[one]?.x ?? 0) - (all[other]?.x ?? 0));
  const settled: Triangle[] = [];
  let open: Triangle[] = [circled(all, count, count + 1, count + 2)];
  for (const index of order) {
    const { x, y } = all[index] ?? { x: 0, y: 0 };
    const kept: Triangle[] = [];
    const rim = new Map<number, [number, number]>();
    for (const triangle of open) {
      const dx = x - triangle.x;
      const dy = y - triangle.y;
      if (dx > 0 && dx * dx > triangle.squared) settled.push(triangle);
      else if (dx * dx + dy * dy > triangle.squared + 1e-9) kept.push(triangle);
      else {
        const { a, b, c } = triangle;
        for (const [from, to] of [
          [a, b],
          [b, c],
          [c, a],
        ] as const) {
          // If two removed triangles share an edge, the edge lies inside the hole.
          const key = Math.min(from, to) * all.length + Math.max(from, to);
          if (!rim.delete(key)) rim.set(key, [from, to]);
        }
      }
    }
    for (const [from, to] of rim.values()) kept.push(circled(all, from, to, index));
    open = kept;
  }
  return { points, triangles: [...settled, ...open].filter(({ a, b, c }) => Math.max(a, b, c) < count) };
}

function circled(points: readonly Point[], a: number, b: number, c: number): Triangle {
  const origin = { x: 0, y: 0 };
  const p = points[a] ?? origin;
  const q = points[b] ?? origin;
  const r = points[c] ?? origin;
  const bx = q.x - p.x;
  const by = q.y - p.y;
  const cx = r.x - p.x;
  const cy = r.y - p.y;
  const twice = 2 * (bx * cy - by * cx) || 1e-9;
  const b2 = bx * bx + by * by;
  const c2 = cx * cx + cy * cy;
  const dx = (cy * b2 - by * c2) / twice;
  const dy = (bx * c2 - cx * b2) / twice;
  return { a, b, c, x: p.x + dx, y: p.y + dy, squared: dx * dx + dy * dy };
}

/** Returns the region nearest to each point, as a polygon. Leaves out points at the rim, whose region is not closed. */
export function cellsOf(mesh: Mesh): { readonly site: Point; readonly corners: readonly Point[] }[] {
  const around = mesh.points.map((): Triangle[] => []);
  for (const triangle of mesh.triangles)
    for (const index of [triangle.a, triangle.b, triangle.c]) around[index]?.push(triangle);
  return mesh.points.map((site, index) => ({
    site,
    corners: (around[index] ?? [])
      .map(({ x, y }) => ({ x, y }))
      .sort(
        (one, other) =>
          Math.atan2(one.y - site.y, one.x - site.x) - Math.atan2(other.y - site.y, other.x - site.x),
      ),
  }));
}

/** Returns how quickly a view changes around each pixel, 0 to about 1. */
export function edgesOf(view: Raster): Float32Array {
  const { width, height, data } = view;
  const edges = new Float32Array(width * height);
  for (let row = 1; row < height - 1; row++) {
    for (let column = 1; column < width - 1; column++) {
      let change = 0;
      const index = (row * width + column) * 3;
      for (let channel = 0; channel < 3; channel++) {
        const at = index + channel;
        change +=
          Math.abs((data[at + 3] ?? 0) - (data[at - 3] ?? 0)) +
          Math.abs((data[at + width * 3] ?? 0) - (data[at - width * 3] ?? 0));
      }
      edges[row * width + column] = Math.min(1, change * 1.4);
    }
  }
  return edges;
}

export interface Spread {
  readonly width: number;
  readonly height: number;
  /** Distance between points in detailed areas and in calm areas, in pixels. */
  readonly fine: number;
  readonly coarse: number;
}

/** Scatters points: close together along the view's edges, far apart between edges, and along the frame. */
export function scatter(view: Raster, { width, height, fine, coarse }: Spread, random: Random): Point[] {
  const edges = edgesOf(view);
  const points: Point[] = [];
  const columns = Math.ceil(width / fine) + 2;
  const rows = Math.ceil(height / fine) + 2;
  const taken = new Uint8Array(columns * rows);
  const add = (x: number, y: number): void => {
    taken[(Math.floor(y / fine) + 1) * columns + Math.floor(x / fine) + 1] = 1;
    points.push({ x, y });
  };
  const free = (x: number, y: number, reach: number): boolean => {
    const cells = Math.ceil(reach / fine) - 1;
    const column = Math.floor(x / fine) + 1;
    const row = Math.floor(y / fine) + 1;
    for (let r = Math.max(0, row - cells); r <= Math.min(rows - 1, row + cells); r++) {
      for (let c = Math.max(0, column - cells); c <= Math.min(columns - 1, column + cells); c++) {
        if (taken[r * columns + c] === 1) return false;
      }
    }
    return true;
  };
  // A ring outside the frame, so that cells and facets reach the frame's edge.
  const ring = coarse * 0.9;
  for (let x = -ring; x <= width + ring; x += ring)
    points.push({ x, y: -ring + random.range(-2, 2) }, { x, y: height + ring + random.range(-2, 2) });
  for (let y = 0; y < height + ring / 2; y += ring)
    points.push({ x: -ring + random.range(-2, 2), y }, { x: width + ring + random.range(-2, 2), y });
  const scaleX = view.width / width;
  const scaleY = view.height / height;
  const tries = Math.round(((width * height) / (fine * fine)) * 3.2);
  for (let attempt = 0; attempt < tries; attempt++) {
    const x = random.next() * width;
    const y = random.next() * height;
    const pixel =
      Math.floor(clamp(y * scaleY, 0, view.height - 1)) * view.width +
      Math.floor(clamp(x * scaleX, 0, view.width - 1));
    const busy = smoothstep(0.06, 0.4, edges[pixel] ?? 0);
    if (free(x, y, coarse + (fine - coarse) * busy)) add(x, y);
  }
  return points;
}
