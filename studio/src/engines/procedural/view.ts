import { paintAurora, paintLuminary } from './celestial.ts';
import { paintCityscape } from './cityscape.ts';
import { ramp } from './colour.ts';
import { paintFigures } from './figures.ts';
import { paintForeground } from './foreground.ts';
import { createNoise } from './noise.ts';
import { paintOpenSpace } from './open-space.ts';
import { createRaster, fromCanvas, toCanvas, type Raster } from './raster.ts';
import { paintRelief } from './relief.ts';
import type { Scene } from './scene.ts';
import { paintSky } from './sky.ts';
import { paintWater } from './water.ts';

/** A small, plain rendering of what the prompt is about, for hands that translate a picture into another medium. */
export interface View {
  readonly raster: Raster;
  /** Row per column where the open sky ends, as a share of the height; null where there is no such line. */
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
    // Haze swallows the contours that a cut or a print lives on.
    air: scene.air * 0.5,
    look: { ...scene.look, brush: 'smooth' },
  };
  const { places } = scene.mood;
  if (places.has('person')) return withoutSkyline(fromCanvas(paintFigures(small)));
  if (places.has('city')) return withoutSkyline(fromCanvas(paintCityscape(small)));
  if (places.has('space') || places.has('planet')) return withoutSkyline(fromCanvas(paintOpenSpace(small)));
  if (places.has('abstract')) return withoutSkyline(paintDrift(small));
  const raster = paintSky(small, 0.7);
  paintAurora(raster, small);
  paintLuminary(raster, small);
  const relief = paintRelief(raster, small);
  paintWater(raster, relief, small);
  const { canvas, context } = toCanvas(raster);
  paintForeground(context, small);
  return { raster: fromCanvas(canvas), skyline: relief.skyline.map((row) => row / small.height) };
}

const withoutSkyline = (raster: Raster): View => ({ raster, skyline: null });

/** No subject: the palette's colours folded into each other. */
function paintDrift(scene: Scene): Raster {
  const { palette, width, height } = scene;
  const noise = createNoise(scene.random.fork('drift'));
  const [zenith, high, low, horizon] = palette.sky;
  const tones = ramp([
    [0, palette.dark],
    [0.2, zenith],
    [0.38, high],
    [0.52, palette.counter],
    [0.66, low],
    [0.8, palette.accent],
    [1, horizon],
  ]);
  const raster = createRaster(width, height);
  for (let row = 0, index = 0; row < height; row++) {
    const y = row / height;
    for (let column = 0; column < width; column++, index += 3) {
      const x = (column / width) * scene.aspect;
      const fold = noise.fbm(x * 1.3, y * 1.3, 3);
      const value = 0.5 + noise.fbm(x * 1.1 + fold * 1.8, y * 1.1 - fold * 1.5, 4) * 0.95;
      const entry = Math.floor(Math.min(1, Math.max(0, value)) * tones.last) * 3;
      for (let channel = 0; channel < 3; channel++)
        raster.data[index + channel] = tones.table[entry + channel] ?? 0;
    }
  }
  return raster;
}
