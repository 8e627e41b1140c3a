import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';
import { clamp } from './colour.ts';
import { paintAbstract } from './abstract.ts';
import { bloom } from './glow.ts';
import { cellsOf, scatter, triangulate, type Mesh, type Point } from './mesh.ts';
import type { Random } from './random.ts';
import type { Raster } from './raster.ts';
import type { Scene } from './scene.ts';
import { paintView } from './view.ts';

/**
 * Paints facets, panes or tiles that take their colours from a view. Paints pure shapes if the prompt asks for abstract
 * art, and sometimes if it names no place.
 */
export function paintPrism(scene: Scene): Canvas {
  const { mood } = scene;
  const formless = mood.places.size === 0 && scene.random.fork('form').chance(0.5);
  if (mood.places.has('abstract') || formless) return paintAbstract(scene);
  return cutView(paintView(scene, VIEW_SIDE).raster, scene);
}

/** Longer side of a view that is large enough to give each facet its colour. */
export const VIEW_SIDE = 400;

/** Draws a small view in stones at the full size of the scene. Changes the view. */
export function cutView(view: Raster, scene: Scene): Canvas {
  const { mood, look } = scene;
  scene.show?.(0.3, view);
  enrich(view, 1.38, 1 + look.weight * 0.35);
  const canvas = createCanvas(scene.width, scene.height);
  const cutter: Cutter = {
    context: canvas.getContext('2d'),
    scene,
    view,
    random: scene.random.fork('cut'),
    size: Math.max(2, scene.unit * (27 - look.detail * 18)),
  };
  if (mood.places.has('glass') || look.brush === 'knife') setGlass(cutter);
  else if (look.brush === 'stipple') setTiles(cutter);
  else setFacets(cutter, look.brush === 'smooth');
  scene.show?.(0.8, canvas);
  bloom(canvas, 0.25);
  return canvas;
}

interface Cutter {
  readonly context: SKRSContext2D;
  readonly scene: Scene;
  readonly view: Raster;
  readonly random: Random;
  /** Side of the smallest facet, pixels. */
  readonly size: number;
}

/** Increases colour and contrast: haze looks good in a landscape but makes dull stones. */
function enrich({ data }: Raster, chroma: number, contrast: number): void {
  const mean = data.reduce((sum, value) => sum + value, 0) / data.length;
  // Stones in a dark picture are brightened.
  const gain = clamp(0.3 / Math.max(0.05, mean), 1, 1.7);
  for (let index = 0; index < data.length; index += 3) {
    const red = (data[index] ?? 0) * gain;
    const green = (data[index + 1] ?? 0) * gain;
    const blue = (data[index + 2] ?? 0) * gain;
    const grey = red * 0.3 + green * 0.55 + blue * 0.15;
    const bent = clamp(grey + (grey - 0.5) * (contrast - 1) * (1 - Math.abs(grey * 2 - 1)) * 1.6);
    data[index] = clamp(bent + (red - grey) * chroma);
    data[index + 1] = clamp(bent + (green - grey) * chroma);
    data[index + 2] = clamp(bent + (blue - grey) * chroma);
  }
}

function setFacets(cutter: Cutter, smooth: boolean): void {
  drawFacets(cutter, meshFacets(cutter), 0, smooth);
}

function meshFacets({ scene, size, random, view }: Cutter): Mesh {
  const { width, height } = scene;
  return triangulate(scatter(view, { width, height, fine: size, coarse: size * 4.2 }, random), width, height);
}

/**
 * Draws the facets. `turned`: how far the stones have turned since the start. Each stone tilts in its own direction.
 */
function drawFacets(cutter: Cutter, { points, triangles }: Mesh, turned: number, smooth: boolean): void {
  const { context, scene } = cutter;
  const light = scene.sun.x < 0.5 ? -0.6 : 0.6;
  context.lineJoin = 'round';
  for (const { a, b, c } of triangles) {
    const corners = [points[a], points[b], points[c]].filter((point) => point !== undefined);
    // Stones that tilt towards the light are brighter.
    const lean = Math.sin(a * 12.9898 + b * 78.233 + c * 37.719);
    const sway = Math.cos(lean * 9 + turned);
    const tilt = (lean * 0.05 + light * sway * 0.03 + turnedLight(turned, sway)) * scene.look.weight;
    fillFacet(cutter, corners, tilt, smooth);
  }
}

/** Returns the extra light of a turning stone. Stones that do not turn have none. */
const turnedLight = (turned: number, sway: number): number =>
  turned === 0 ? 0 : 0.05 * sway * Math.min(1, turned);

/**
 * Creates stones that keep their places while the view behind them changes and their faces turn. The places fit the
 * first view. Each call draws over the last result.
 */
export function createTurningCut(scene: Scene, first: Raster): (view: Raster, turned: number) => Canvas {
  const canvas = createCanvas(scene.width, scene.height);
  const cutterOf = (view: Raster): Cutter => ({
    context: canvas.getContext('2d'),
    scene,
    view,
    random: scene.random.fork('cut'),
    // The stones of a video are larger, because small stones would only flicker.
    size: Math.max(4, scene.unit * (50 - scene.look.detail * 26)),
  });
  enrich(first, 1.38, 1 + scene.look.weight * 0.35);
  const mesh = meshFacets(cutterOf(first));
  return (view, turned) => {
    enrich(view, 1.38, 1 + scene.look.weight * 0.35);
    drawFacets(cutterOf(view), mesh, turned, false);
    return canvas;
  };
}

function fillFacet(cutter: Cutter, corners: readonly Point[], tilt: number, smooth: boolean): void {
  const { context } = cutter;
  const [red, green, blue] = averageOf(cutter, corners, centreOf(corners));
  const fill = rgb(red, green, blue, tilt);
  const [first, , last] = corners;
  context.fillStyle = fill;
  context.strokeStyle = fill;
  if (smooth && first && last) {
    const shine = context.createLinearGradient(first.x, first.y, last.x, last.y);
    shine.addColorStop(0, rgb(red, green, blue, tilt + 0.09));
    shine.addColorStop(1, rgb(red, green, blue, tilt - 0.09));
    context.fillStyle = shine;
    context.strokeStyle = shine;
  }
  // The outline closes the thin gaps that antialiasing leaves between neighbours.
  context.lineWidth = 0.9;
  trace(context, corners);
  context.fill();
  context.stroke();
}

/** Draws panes between strips of lead, lit from behind. */
function setGlass(cutter: Cutter): void {
  const { context, scene, size, random, view } = cutter;
  const { width, height } = scene;
  const spread = { width, height, fine: size * 1.5, coarse: size * 4.4 };
  const lead = Math.max(1.2, scene.unit * 3.6 * scene.look.weight);
  context.lineJoin = 'round';
  context.strokeStyle = '#0d0b12';
  context.lineWidth = lead;
  for (const { site, corners } of cellsOf(triangulate(scatter(view, spread, random), width, height))) {
    if (
      corners.length < 3 ||
      site.x < -size ||
      site.y < -size ||
      site.x > width + size ||
      site.y > height + size
    )
      continue;
    const [red, green, blue] = averageOf(cutter, corners, site);
    const tilt = random.gaussian() * 0.06;
    const light = context.createRadialGradient(site.x, site.y, 0, site.x, site.y, size * 3.2);
    light.addColorStop(0, rgb(red, green, blue, tilt + 0.13));
    light.addColorStop(1, rgb(red, green, blue, tilt - 0.1));
    context.fillStyle = light;
    trace(context, corners);
    context.fill();
    context.stroke();
  }
}

/** Draws hexagonal tiles with a bevel. */
function setTiles(cutter: Cutter): void {
  const { context, scene, size, random } = cutter;
  const radius = size * 1.05;
  const stepX = radius * Math.sqrt(3);
  const stepY = radius * 1.5;
  context.fillStyle = rgb(0.08, 0.08, 0.1, 0);
  context.fillRect(0, 0, scene.width, scene.height);
  for (let row = -1; row * stepY < scene.height + stepY; row++) {
    for (let column = -1; column * stepX < scene.width + stepX; column++) {
      const x = (column + (row % 2 ? 0.5 : 0)) * stepX;
      const y = row * stepY;
      const hexagon = (scale: number): Point[] =>
        Array.from({ length: 6 }, (_, corner) => ({
          x: x + Math.sin((corner * Math.PI) / 3) * radius * scale,
          y: y + Math.cos((corner * Math.PI) / 3) * radius * scale,
        }));
      const tilt = random.gaussian() * 0.035;
      const [red, green, blue] = averageOf(cutter, hexagon(0.6), { x, y });
      for (const [scale, light] of [
        [0.97, -0.08],
        [0.8, 0.02 + 0.03 * scene.look.weight],
      ] as const) {
        context.fillStyle = rgb(red, green, blue, tilt + light);
        trace(context, hexagon(scale));
        context.fill();
      }
    }
  }
}

function trace(context: SKRSContext2D, corners: readonly Point[]): void {
  context.beginPath();
  for (const { x, y } of corners) context.lineTo(x, y);
  context.closePath();
}

const centreOf = (corners: readonly Point[]): Point => ({
  x: corners.reduce((sum, { x }) => sum + x, 0) / corners.length,
  y: corners.reduce((sum, { y }) => sum + y, 0) / corners.length,
});

function averageOf(cutter: Cutter, corners: readonly Point[], centre: Point): [number, number, number] {
  const sums: [number, number, number] = [0, 0, 0];
  const spots = [
    centre,
    centre,
    ...corners.map(({ x, y }) => ({ x: (x + centre.x) / 2, y: (y + centre.y) / 2 })),
  ];
  for (const spot of spots) {
    const index = indexAt(cutter, spot);
    for (const channel of [0, 1, 2] as const)
      sums[channel] += (cutter.view.data[index + channel] ?? 0) / spots.length;
  }
  return sums;
}

function indexAt({ view, scene }: Cutter, { x, y }: Point): number {
  const column = Math.floor(clamp(x / scene.width, 0, 0.9999) * view.width);
  const row = Math.floor(clamp(y / scene.height, 0, 0.9999) * view.height);
  return (row * view.width + column) * 3;
}

function rgb(red: number, green: number, blue: number, lighter: number): string {
  const channel = (value: number) => Math.round(clamp(value * (1 + lighter) + lighter * 0.35) * 255);
  return `rgb(${channel(red)},${channel(green)},${channel(blue)})`;
}
