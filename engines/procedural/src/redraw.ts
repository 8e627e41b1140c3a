import type { Canvas } from '@napi-rs/canvas';
import { paintStrokes } from './brush.ts';
import { lerp, ramp, shade, mix } from './colour.ts';
import { bloom, soften } from './glow.ts';
import { CLOSE_VIEW_SIDE, printView } from './linework.ts';
import type { ProceduralModel } from './models.ts';
import { afterDark } from './nocturne.ts';
import { cutView, VIEW_SIDE } from './prism.ts';
import { shrinkRaster, toCanvas, type Raster } from './raster.ts';
import type { Scene } from './scene.ts';
import { laySheets } from './sheets.ts';

/** Redraws an existing picture of the scene's size in one style. May change the picture. */
export type Redrawer = (picture: Raster, scene: Scene) => Canvas;

/** From an engine model to the function that redraws in its style. */
export const REDRAWERS: Readonly<Record<ProceduralModel, Redrawer>> = {
  atelier: redrawInStrokes,
  linework: (picture, scene) =>
    printView({ raster: shrinkRaster(picture, CLOSE_VIEW_SIDE), skyline: null }, scene, true),
  prism: (picture, scene) => cutView(shrinkRaster(picture, VIEW_SIDE), scene),
  nocturne: redrawAtNight,
  papercut: laySheets,
  figures: redrawAsPoster,
};

function redrawInStrokes(picture: Raster, scene: Scene): Canvas {
  // The scene's own horizon is not used, because it is not known where the picture shows water.
  paintStrokes(picture, { ...scene, water: 'none', horizon: 1 });
  return toCanvas(picture).canvas;
}

function redrawAsPoster(picture: Raster, scene: Scene): Canvas {
  if (scene.look.baseModel === 'bold') return laySheets(picture, scene);
  const canvas = redrawInStrokes(picture, scene);
  soften(canvas, scene.unit * 2);
  bloom(canvas, 0.22 * scene.look.weight);
  return canvas;
}

/** Turns day into night: tones run from the night's dark to its lamps, and coloured places keep their hues. */
function redrawAtNight(picture: Raster, day: Scene): Canvas {
  const scene = afterDark(day);
  const { palette } = scene;
  const [zenith, high] = palette.sky;
  const { table, last } = ramp([
    [0, shade(palette.dark, 0.7)],
    [0.4, mix(palette.dark, zenith, 0.75)],
    [0.68, high],
    [0.88, mix(high, palette.glow, 0.65)],
    [1, mix(palette.glow, palette.disc, 0.6)],
  ]);
  const { data, height, width } = picture;
  for (let row = 0; row < height; row++) darkenRow(data, row * width * 3, width * 3, table, last);
  const { canvas } = toCanvas(picture);
  soften(canvas, (0.75 - scene.look.detail) * Math.max(1, 3 * scene.unit));
  bloom(canvas, 0.5 + scene.look.weight * 0.2);
  return canvas;
}

function darkenRow(
  data: Float32Array,
  first: number,
  count: number,
  table: Float32Array,
  last: number,
): void {
  for (let index = first; index < first + count; index += 3) {
    const red = data[index] ?? 0;
    const green = data[index + 1] ?? 0;
    const blue = data[index + 2] ?? 0;
    const tone = red * 0.3 + green * 0.55 + blue * 0.15;
    const entry = Math.floor(Math.min(1, tone ** 1.25) * last) * 3;
    const dim = 0.42 + tone * 0.5;
    data[index] = lerp(table[entry] ?? 0, red * dim, 0.58);
    data[index + 1] = lerp(table[entry + 1] ?? 0, green * dim, 0.58);
    data[index + 2] = lerp(table[entry + 2] ?? 0, blue * (dim + 0.1), 0.58);
  }
}
