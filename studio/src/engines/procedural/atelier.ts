import type { Canvas } from '@napi-rs/canvas';
import { paintStrokes } from './brush.ts';
import { paintAurora, paintLuminary, paintStars } from './celestial.ts';
import { paintFlowers, paintForeground } from './foreground.ts';
import { toCanvas } from './raster.ts';
import { paintRelief } from './relief.ts';
import type { Scene } from './scene.ts';
import { paintSky } from './sky.ts';
import { paintWater } from './water.ts';
import { paintWeather } from './weather.ts';

/** Painterly landscapes: lit terrain in deep air, laid down in strokes. */
export function paintAtelier(scene: Scene): Canvas {
  const raster = paintSky(scene);
  paintAurora(raster, scene);
  paintLuminary(raster, scene);
  const relief = paintRelief(raster, scene);
  paintWater(raster, relief, scene);
  paintStrokes(raster, scene);
  const { canvas, context } = toCanvas(raster);
  paintStars(context, scene, scene.horizon);
  paintFlowers(context, scene);
  paintForeground(context, scene);
  paintWeather(context, scene);
  return canvas;
}
