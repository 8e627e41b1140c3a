import { clamp, lerp, mix, shade, smoothstep, toRgb, type Rgb } from './colour.ts';
import { createNoise, type Noise } from './noise.ts';
import type { Raster } from './raster.ts';
import type { Relief } from './relief.ts';
import type { Scene } from './scene.ts';

/** Fills the water of a relief with the mirrored picture above it, distorted by ripples, and adds the sun's glitter. */
export function paintWater(raster: Raster, relief: Pick<Relief, 'water'>, scene: Scene): void {
  const { width, height } = raster;
  const first = relief.water.indexOf(1);
  if (first < 0) return;
  const surface = prepareSurface(raster, scene);
  const shores = new Int32Array(width).fill(-1);
  for (let row = Math.floor(first / width); row < height; row++) paintRow(surface, relief.water, shores, row);
}

function paintRow(surface: Surface, water: Uint8Array, shores: Int32Array, row: number): void {
  const { width } = surface.raster;
  let rippled = false;
  for (let column = 0; column < width; column++) {
    if (water[row * width + column] !== 1) {
      shores[column] = -1;
      continue;
    }
    if (!rippled) rippleRow(surface, row);
    rippled = true;
    if ((shores[column] ?? -1) < 0) shores[column] = row;
    reflect(surface, water, column, row, shores[column] ?? row);
  }
}

/** Ripples are long across the picture, so one value every few columns is enough. */
const COARSE = 4;

interface Surface {
  readonly raster: Raster;
  readonly scene: Scene;
  readonly noise: Noise;
  readonly deep: Rgb;
  readonly spark: Rgb;
  readonly mirrorLight: number;
  readonly roughness: number;
  readonly glitter: number;
  /** How much of the water's own colour is visible in the reflection. It is more if the words name a colour. */
  readonly body: number;
  readonly horizonRow: number;
  /** The ripple, sideways shift and flake of the current row, one of each per coarse column. */
  readonly ripples: Float32Array;
  readonly pulls: Float32Array;
  readonly flakes: Float32Array;
}

function prepareSurface(raster: Raster, scene: Scene): Surface {
  const { palette, mood, sun } = scene;
  const wind = clamp(0.3 + mood.energy * 0.4 + mood.weather.wind * 0.4 + mood.weather.storm * 0.6);
  const open = scene.water === 'sea' ? 1 : 0.55;
  return {
    raster,
    scene,
    noise: createNoise(scene.random.fork('water')),
    deep: toRgb(
      shade(
        mix({ ...palette.water, l: palette.water.l * (0.35 + palette.exposure * 0.6) }, palette.sky[1], 0.3),
        0.9,
      ),
    ),
    spark: toRgb(mix(palette.glow, palette.disc, 0.5)),
    mirrorLight: 0.93,
    roughness: lerp(0.35, 1.6, wind) * open,
    glitter: sun.visible ? (sun.kind === 'sun' ? 1 : 0.75) : 0.18,
    body: mood.ofWater ? 1.15 : 0.62,
    horizonRow: scene.horizon * raster.height,
    ripples: new Float32Array(Math.ceil(raster.width / COARSE) + 2),
    pulls: new Float32Array(Math.ceil(raster.width / COARSE) + 2),
    flakes: new Float32Array(Math.ceil(raster.width / COARSE) + 2),
  };
}

function rippleRow(surface: Surface, row: number): void {
  const { raster, scene, noise, roughness, ripples, pulls, flakes } = surface;
  const below = belowHorizon(surface, row);
  const depth = 0.11 / below;
  // Far ripples are finer than a pixel. They fade into a calm sheen instead of flickering.
  const seen = smoothstep(0.004, 0.05, below);
  const path = spreadAt(below) * PATH_REACH;
  for (let cell = 0; cell < ripples.length; cell++) {
    const across = ((cell * COARSE) / raster.width - 0.5) * scene.aspect * depth;
    const long = noise.at(across * 5, depth * 26) * 0.6;
    const short = noise.at(across * 13 + 40, depth * 62) * seen;
    ripples[cell] = (long + short) * roughness;
    pulls[cell] = noise.at(across * 9 + 11, depth * 40) * roughness;
    // Light glitters only on the path below the sun.
    const aside = Math.abs((cell * COARSE) / raster.width - scene.sun.x) * scene.aspect;
    flakes[cell] = aside > path + 0.03 ? 0 : noise.at(across * 24, depth * 95);
  }
}

const belowHorizon = ({ raster, horizonRow }: Surface, row: number) =>
  Math.max(0.5, row + 0.5 - horizonRow) / raster.height;

function reflect(surface: Surface, water: Uint8Array, column: number, row: number, shore: number): void {
  const { raster, deep, spark } = surface;
  const { width, height, data } = raster;
  const below = belowHorizon(surface, row);
  const cell = Math.floor(column / COARSE);
  const share = column / COARSE - cell;
  const ripple = between(surface.ripples, cell, share);
  const run = row - shore;
  const reach = (0.0035 + below * 0.085) * height;
  const offset = ripple * Math.min(reach, 1 + run * 0.6);
  const mirrored = Math.round(2 * shore - row - 1 - Math.abs(offset) * 0.4 + offset);
  const sourceRow = clamp(mirrored, 0, Math.max(0, shore - 1));
  const pull = between(surface.pulls, cell, share) * reach * 0.35;
  const sourceColumn = clamp(Math.round(column + pull), 0, width - 1);
  let source = sourceRow * width + sourceColumn;
  // A ripple must not read water that has no colour yet.
  if (water[source] === 1 && sourceRow >= shore) source = Math.max(0, shore - 1) * width + column;
  const tilt = clamp((0.2 + below * 1.15 + ripple * 0.2) * surface.body);
  const glint = glitterAt(surface, column, below, between(surface.flakes, cell, share), ripple);
  const index = (row * width + column) * 3;
  const bank = run < 3 ? 0.82 + run * 0.06 : 1;
  // The three shares are computed once instead of for each channel.
  const mirror = surface.mirrorLight * (1 - tilt) * bank * (1 - glint);
  const own = tilt * bank * (1 - glint);
  const from = source * 3;
  data[index] = (data[from] ?? 0) * mirror + deep[0] * own + spark[0] * glint;
  data[index + 1] = (data[from + 1] ?? 0) * mirror + deep[1] * own + spark[1] * glint;
  data[index + 2] = (data[from + 2] ?? 0) * mirror + deep[2] * own + spark[2] * glint;
}

function between(values: Float32Array, cell: number, share: number): number {
  const left = values[cell] ?? 0;
  return left + ((values[cell + 1] ?? 0) - left) * share;
}

/** Reach of the path of light, in multiples of its width. */
const PATH_REACH = 2.2;
const spreadAt = (below: number) => 0.035 + below * 0.32;

/** Returns the light on the path below the sun: a column that widens towards the viewer, broken into flakes. */
function glitterAt(surface: Surface, column: number, below: number, flake: number, ripple: number): number {
  const { scene, raster, glitter } = surface;
  const away = Math.abs((column + 0.5) / raster.width - scene.sun.x) * scene.aspect;
  const spread = spreadAt(below);
  if (away > spread * PATH_REACH) return 0;
  const path = Math.exp((-away * away) / (spread * spread));
  const calm = (1 - smoothstep(0.01, 0.06, below)) * 0.45;
  return clamp((smoothstep(0.12, 0.5, flake * 0.7 + ripple * 0.35) * 0.85 + calm) * path * glitter);
}
