import type { Mask } from '@renderkit/media-kit/mask.ts';
import type { Size } from '@renderkit/engine-kit/engine.ts';

/** Pixels. */
export interface Box extends Size {
  readonly left: number;
  readonly top: number;
}

/** The area where a mask changes its picture, even slightly. */
export interface Hole extends Size {
  /** One byte per pixel, 1 in the hole. */
  readonly inside: Uint8Array;
  /** The smallest box that contains the whole hole. */
  readonly bounds: Box;
  /** 0–1: the hole's share of the picture. */
  readonly share: number;
}

/** Returns null if the mask is completely black. */
export function findHole({ width, height, bytes }: Mask): Hole | null {
  const inside = new Uint8Array(width * height);
  let [left, top, right, bottom, count] = [width, height, -1, -1, 0];
  for (let y = 0, index = 0; y < height; y++) {
    for (let x = 0; x < width; x++, index++) {
      if ((bytes[index] ?? 0) === 0) continue;
      inside[index] = 1;
      count++;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  }
  if (count === 0) return null;
  const bounds = { left, top, width: right - left + 1, height: bottom - top + 1 };
  return { width, height, inside, bounds, share: count / inside.length };
}

/** Cells along the longer side of the bounds, for the search of a place for a subject. */
const CELLS = 48;
/** Share of a box that may lie outside the hole. */
const OUTSIDE = 0.02;

/**
 * Returns the largest box of the ratio `aspect` (width over height) in the hole, in pixels of the picture. Among
 * equally large boxes the lowest counts, or the most central one if `floats` is set. If the hole is too thin for any
 * box, the box lies in the middle of the bounds.
 */
export function fitBox(hole: Hole, aspect: number, floats: boolean): Box {
  const { bounds } = hole;
  const cell = Math.max(1, Math.max(bounds.width, bounds.height) / CELLS);
  const columns = Math.max(1, Math.floor(bounds.width / cell));
  const rows = Math.max(1, Math.floor(bounds.height / cell));
  const sums = sumCells(hole, cell, columns, rows);
  for (let tall = Math.min(rows, Math.floor(columns / aspect)); tall >= 1; tall--) {
    const wide = Math.max(1, Math.round(tall * aspect));
    const [column, row] = findPlace(sums, [columns, rows], [wide, tall], floats);
    if (column >= 0)
      return {
        left: bounds.left + column * cell,
        top: bounds.top + row * cell,
        width: tall * aspect * cell,
        height: tall * cell,
      };
  }
  const width = Math.min(bounds.width, bounds.height * aspect);
  return {
    left: bounds.left + (bounds.width - width) / 2,
    top: bounds.top + (bounds.height - width / aspect) / 2,
    width,
    height: width / aspect,
  };
}

/** Returns summed areas: the number of cells in the hole above and left of each corner. */
function sumCells({ width, inside, bounds }: Hole, cell: number, columns: number, rows: number): Int32Array {
  const stride = columns + 1;
  const sums = new Int32Array(stride * (rows + 1));
  for (let row = 0; row < rows; row++) {
    const y = Math.floor(bounds.top + (row + 0.5) * cell);
    for (let column = 0; column < columns; column++) {
      const x = Math.floor(bounds.left + (column + 0.5) * cell);
      const at = (row + 1) * stride + column + 1;
      sums[at] =
        (inside[y * width + x] ?? 0) +
        (sums[at - 1] ?? 0) +
        (sums[at - stride] ?? 0) -
        (sums[at - stride - 1] ?? 0);
    }
  }
  return sums;
}

/** Returns the lowest place, or the most central one. Returns −1, −1 if there is none. */
function findPlace(
  sums: Int32Array,
  [columns, rows]: readonly [number, number],
  [wide, tall]: readonly [number, number],
  floats: boolean,
): [column: number, row: number] {
  const stride = columns + 1;
  let best: [column: number, row: number] = [-1, -1];
  let least = Infinity;
  for (let row = rows - tall; row >= 0; row--) {
    for (let column = 0; column + wide <= columns; column++) {
      const corner = row * stride + column;
      const below = corner + tall * stride;
      const full =
        (sums[below + wide] ?? 0) - (sums[below] ?? 0) - (sums[corner + wide] ?? 0) + (sums[corner] ?? 0);
      if (full < wide * tall * (1 - OUTSIDE)) continue;
      const aside = Math.abs(column + (wide - columns) / 2);
      const off = floats ? aside + Math.abs(row + (tall - rows) / 2) : aside - row * columns;
      if (off >= least) continue;
      least = off;
      best = [column, row];
    }
  }
  return best;
}
