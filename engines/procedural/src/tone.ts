import { clamp } from './colour.ts';
import type { Field, Raster } from './raster.ts';

const RANKS = 256;

/**
 * Returns the lightness of a view, mostly equalised, separately for sky and land. So each ink of a print has something
 * to show.
 */
export function toneOf(view: Raster, skyline: Float32Array | null): Field {
  const { width, height, data } = view;
  const tones = new Float32Array(width * height);
  const counts = [new Float32Array(RANKS), new Float32Array(RANKS)] as const;
  const regionOf = (pixel: number): 0 | 1 =>
    skyline !== null && Math.floor(pixel / width) > (skyline[pixel % width] ?? 1) * height ? 1 : 0;
  for (let pixel = 0, index = 0; pixel < tones.length; pixel++, index += 3) {
    const value = (data[index] ?? 0) * 0.3 + (data[index + 1] ?? 0) * 0.52 + (data[index + 2] ?? 0) * 0.18;
    tones[pixel] = value;
    const rank = Math.floor(value * (RANKS - 1));
    const count = counts[regionOf(pixel)];
    count[rank] = (count[rank] ?? 0) + 1;
  }
  const ranks = counts.map(cumulated);
  const low = tones.reduce((least, value) => Math.min(least, value), 1);
  const high = tones.reduce((most, value) => Math.max(most, value), 0);
  return {
    width,
    height,
    data: tones.map((value, pixel) => {
      const region = skyline === null ? null : regionOf(pixel);
      const rank = ranks[region ?? 0]?.[Math.floor(value * (RANKS - 1))] ?? 0;
      const even = region === 0 ? 0.2 + rank * 0.8 : region === 1 ? rank * 0.86 : rank;
      const evened = region === null ? 0.25 : 0.6;
      return (1 - evened) * clamp((value - low) / Math.max(0.05, high - low)) + evened * even;
    }),
  };
}

/** Returns the share of values up to each rank. */
function cumulated(counts: Float32Array): Float32Array {
  const all = Math.max(
    1,
    counts.reduce((sum, count) => sum + count, 0),
  );
  let sum = 0;
  return counts.map((count) => {
    sum += count;
    return sum / all;
  });
}

/** Averages each value with its neighbours. */
export function softened({ width, height, data }: Field): Field {
  const out = new Float32Array(data.length);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      let sum = 0;
      let count = 0;
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          const x = column + dx;
          const y = row + dy;
          if (x < 0 || y < 0 || x >= width || y >= height) continue;
          sum += data[y * width + x] ?? 0;
          count++;
        }
      }
      out[row * width + column] = sum / count;
    }
  }
  return { width, height, data: out };
}
