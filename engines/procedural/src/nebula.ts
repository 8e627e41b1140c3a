import { clamp, mix, ramp, shade, smoothstep, toRgb, type Ramp } from './colour.ts';
import { createNoise } from './noise.ts';
import { createRaster, enlarge, type Raster } from './raster.ts';
import type { Scene } from './scene.ts';

/** Paints clouds of gas in two colours with dark lanes between them, over near-black. */
export function paintNebula(scene: Scene, scale = 0.36): Raster {
  const width = Math.max(16, Math.round(scene.width * scale));
  const height = Math.max(16, Math.round(scene.height * scale));
  const raster = createRaster(width, height);
  const noise = createNoise(scene.random.fork('nebula'));
  const { first, second, dust } = gasColours(scene);
  const octaves = 3.5 + scene.look.detail * 2.5;
  const slope = scene.random.fork('lane').range(-0.9, 0.9);
  for (let row = 0, index = 0; row < height; row++) {
    const y = (row + 0.5) / height;
    for (let column = 0; column < width; column++, index += 3) {
      const x = ((column + 0.5) / width) * scene.aspect;
      const warpX = noise.fbm(x * 1.7, y * 1.7, 3) * 0.9;
      const warpY = noise.fbm(x * 1.7 + 31, y * 1.7 + 7, 3) * 0.9;
      const gas = noise.fbm(x * 2 + warpX, y * 2 + warpY, octaves) * 0.8 + 0.42;
      const other = noise.fbm(x * 1.4 - warpY + 50, y * 1.4 + warpX, octaves - 1) * 0.9 + 0.36;
      const lane = Math.abs((x / scene.aspect - 0.5) * slope + (y - 0.52) + warpX * 0.12);
      const band = Math.exp(-lane * lane * 9);
      const dark = smoothstep(0.05, 0.42, noise.ridged(x * 2.2 + warpY, y * 2.2, 4) - 0.42) * band * 0.75;
      addGas(raster.data, index, first, clamp(gas * (0.28 + band * 0.85)), dust, dark);
      addGas(raster.data, index, second, clamp(other * other * (0.25 + band * 0.8)), dust, dark);
    }
  }
  return enlarge(raster, scene.width, scene.height);
}

function gasColours(scene: Scene): { first: Ramp; second: Ramp; dust: readonly number[] } {
  const { palette } = scene;
  const gas = (hue: number, chroma: number) =>
    ramp([
      [0, { l: 0.085, c: 0.02, h: hue }],
      [0.35, { l: 0.2, c: chroma * 0.55, h: hue }],
      [0.62, { l: 0.42, c: chroma, h: hue + 10 }],
      [0.85, { l: 0.72, c: chroma * 0.85, h: hue + 25 }],
      [1, { l: 0.95, c: chroma * 0.3, h: hue + 40 }],
    ]);
  const chroma = 0.15 * (palette.accent.c < 0.03 ? 0.2 : 1);
  const firstHue = scene.mood.colours[0]?.h ?? palette.sky[1].h;
  return {
    first: gas(firstHue, chroma),
    second: gas(scene.mood.colours[1]?.h ?? firstHue + 70, chroma),
    dust: toRgb(shade(mix(palette.sky[0], palette.dark, 0.5), 0.6)),
  };
}

function addGas(
  data: Float32Array,
  index: number,
  gas: Ramp,
  amount: number,
  dust: readonly number[],
  dark: number,
): void {
  const entry = ((amount * gas.last) | 0) * 3;
  for (let channel = 0; channel < 3; channel++) {
    const under = data[index + channel] ?? 0;
    const lit = under + (gas.table[entry + channel] ?? 0) * (1 - under) * 0.85;
    data[index + channel] = lit + ((dust[channel] ?? 0) * 0.4 - lit) * dark * 0.5;
  }
}
