import { paintAurora, paintLuminary } from './celestial.ts';
import { paintCityscape } from './cityscape.ts';
import { paintDrift } from './drift.ts';
import { paintFigures } from './figures.ts';
import { paintForeground, paintGrove } from './foreground.ts';
import { paintOpenSpace } from './open-space.ts';
import { fromCanvas, toCanvas, type Raster } from './raster.ts';
import { paintRelief } from './relief.ts';
import type { Scene } from './scene.ts';
import { paintSky } from './sky.ts';
import { paintWater } from './water.ts';

/** A small, plain rendering of the prompt's subject, for styles that translate a picture into another medium. */
export interface View {
  readonly raster: Raster;
  /** Row per column where the open sky ends, as a share of the height; null if there is no such line. */
  readonly skyline: Float32Array | null;
}

export function paintView(scene: Scene, longSide: number): View {
  const share = Math.min(1, longSide / Math.max(scene.width, scene.height));
  const small: Scene = {
    ...scene,
    width: Math.max(32, Math.round(scene.width * share)),
    height: Math.max(32, Math.round(scene.height * share)),
    unit: scene.unit * share,
    stars: 0,
    // Haze hides the contours that a cut or a print needs.
    air: scene.air * 0.5,
    look: { ...scene.look, brush: 'smooth' },
  };
  const { places } = scene.mood;
  if (places.has('person')) return withoutSkyline(fromCanvas(paintFigures(small)));
  if (places.has('city')) return withoutSkyline(paintCityscape(small));
  if (places.has('space') || places.has('planet')) return withoutSkyline(paintOpenSpace(small));
  if (places.has('abstract')) return withoutSkyline(paintDrift(small));
  const raster = paintSky(small, 0.7);
  paintAurora(raster, small);
  paintLuminary(raster, small);
  const relief = paintRelief(raster, small);
  paintWater(raster, relief, small);
  const { canvas, context } = toCanvas(raster);
  paintGrove(context, small);
  paintForeground(context, small);
  return { raster: fromCanvas(canvas), skyline: relief.skyline.map((row) => row / small.height) };
}

const withoutSkyline = (raster: Raster): View => ({ raster, skyline: null });
