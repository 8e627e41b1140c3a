import type { Canvas } from '@napi-rs/canvas';
import { paintAurora, paintLuminary } from './celestial.ts';
import { toCanvas } from './raster.ts';
import { paintRelief } from './relief.ts';
import type { Scene } from './scene.ts';
import { paintSky } from './sky.ts';
import { paintWater } from './water.ts';

export function paintAtelier(scene: Scene): Canvas {
  const raster = paintSky(scene);
  paintAurora(raster, scene);
  paintLuminary(raster, scene);
  const relief = paintRelief(raster, scene);
  paintWater(raster, relief, scene);
  return toCanvas(raster).canvas;
}
