import { ramp } from './colour.ts';
import { createNoise } from './noise.ts';
import { createRaster, enlarge, type Raster } from './raster.ts';
import type { Scene } from './scene.ts';

/** Paints a picture without a subject: the colours of the palette, folded into each other. */
export function paintDrift(scene: Scene): Raster {
  const { palette } = scene;
  const width = Math.max(16, Math.round(scene.width * 0.5));
  const height = Math.max(16, Math.round(scene.height * 0.5));
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
  return enlarge(raster, scene.width, scene.height);
}
