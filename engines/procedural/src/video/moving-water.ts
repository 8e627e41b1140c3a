import { clamp, lerp, mix, shade, smoothstep, toRgb, type Rgb } from '../colour.ts';
import { createNoise, type Noise } from '../noise.ts';
import type { Scene } from '../scene.ts';
import type { Camera, Frame, WaterMap } from './land-view.ts';

/** Ripples are long across the image, so one value every few columns is enough. */
const COARSE = 8;

/** Water that can be drawn at any moment. The same ripples move from frame to frame. */
export interface MovingWater {
  readonly scene: Scene;
  readonly noise: Noise;
  /** sRGB, 0–255. */
  readonly deep: Rgb;
  readonly spark: Rgb;
  readonly roughness: number;
  readonly glitter: number;
  readonly body: number;
  readonly ripples: Float32Array;
  readonly flakes: Float32Array;
  readonly shores: Int32Array;
}

export function createMovingWater(scene: Scene, width: number): MovingWater {
  const { palette, mood, sun } = scene;
  const wind = clamp(0.3 + mood.energy * 0.4 + mood.weather.wind * 0.4 + mood.weather.storm * 0.6);
  const own = { ...palette.water, l: palette.water.l * (0.35 + palette.exposure * 0.6) };
  const bytes = ([red, green, blue]: Rgb): Rgb => [red * 255, green * 255, blue * 255];
  return {
    scene,
    noise: createNoise(scene.random.fork('water')),
    deep: bytes(toRgb(shade(mix(own, palette.sky[1], 0.3), 0.9))),
    spark: bytes(toRgb(mix(palette.glow, palette.disc, 0.5))),
    roughness: lerp(0.35, 1.5, wind) * (scene.water === 'sea' ? 1 : 0.6),
    glitter: sun.visible ? (sun.kind === 'sun' ? 1 : 0.75) : 0.18,
    body: mood.ofWater ? 1.15 : 0.62,
    ripples: new Float32Array(Math.ceil(width / COARSE) + 2),
    flakes: new Float32Array(Math.ceil(width / COARSE) + 2),
    shores: new Int32Array(width),
  };
}

/** Fills the water of a frame with the mirrored image above it, distorted by the ripples of this moment. */
export function drawWater(
  water: MovingWater,
  frame: Frame,
  map: WaterMap,
  camera: Camera,
  seconds: number,
): void {
  const { width, height } = frame;
  const first = map.indexOf(1);
  if (first < 0) return;
  water.shores.fill(-1);
  for (let row = Math.floor(first / width); row < height; row++) {
    rippleRow(water, frame, camera, row, seconds);
    mirrorRow(water, frame, map, camera, row);
  }
}

const belowHorizon = ({ height }: Frame, { horizon }: Camera, row: number) =>
  Math.max(0.5, row + 0.5 - horizon * height) / height;

function rippleRow(
  { scene, noise, roughness, ripples, flakes }: MovingWater,
  frame: Frame,
  camera: Camera,
  row: number,
  seconds: number,
): void {
  const below = belowHorizon(frame, camera, row);
  const depth = 0.11 / below;
  // Far ripples are finer than a pixel. They fade into a calm sheen instead of flickering.
  const seen = smoothstep(0.004, 0.05, below);
  const away = depth + camera.z * 0.06;
  const path = spreadAt(below) * PATH_REACH;
  for (let cell = 0; cell < ripples.length; cell++) {
    const across = ((cell * COARSE) / frame.width - 0.5) * scene.aspect * depth + camera.x * 0.06;
    // Two series of waves cross each other.
    const long = noise.at(across * 5 + seconds * 0.22, away * 26 + seconds * 0.75) * 0.6;
    const short = noise.at(across * 13 + 40 - seconds * 0.35, away * 62 + seconds * 1.15) * seen;
    ripples[cell] = (long + short) * roughness;
    // Light glitters only on the path below the sun.
    const aside = Math.abs((cell * COARSE) / frame.width - scene.sun.x) * scene.aspect;
    flakes[cell] = aside > path + 0.03 ? 0 : noise.at(across * 24 - seconds * 0.3, away * 95 + seconds * 1.7);
  }
}

function mirrorRow(water: MovingWater, frame: Frame, map: WaterMap, camera: Camera, row: number): void {
  const { ripples, flakes, shores } = water;
  const [deepRed, deepGreen, deepBlue] = water.deep;
  const [sparkRed, sparkGreen, sparkBlue] = water.spark;
  const { width, height, data } = frame;
  const below = belowHorizon(frame, camera, row);
  const reach = (0.0035 + below * 0.085) * height;
  for (let column = 0; column < width; column++) {
    const pixel = row * width + column;
    if (map[pixel] !== 1) {
      shores[column] = -1;
      continue;
    }
    let shore = shores[column] ?? -1;
    if (shore < 0) shores[column] = shore = row;
    const cell = (column / COARSE) | 0;
    const share = column / COARSE - cell;
    const ripple = (ripples[cell] ?? 0) * (1 - share) + (ripples[cell + 1] ?? 0) * share;
    const offset = ripple * Math.min(reach, 1 + (row - shore) * 0.6);
    const mirrored = 2 * shore - row - 1 - Math.abs(offset) * 0.4 + offset;
    const source = Math.max(0, Math.min(shore - 1, Math.round(mirrored))) * width + column;
    const tilt = clamp((0.2 + below * 1.15 + ripple * 0.2) * water.body);
    const flake = (flakes[cell] ?? 0) * (1 - share) + (flakes[cell + 1] ?? 0) * share;
    const glint = glitterAt(water, (column + 0.5) / width, below, flake, ripple);
    const bank = row - shore < 3 ? 0.82 + (row - shore) * 0.06 : 1;
    const mirror = 0.93 * (1 - tilt) * bank * (1 - glint);
    const own = tilt * bank * (1 - glint);
    const from = source * 4;
    const to = pixel * 4;
    data[to] = (data[from] ?? 0) * mirror + deepRed * own + sparkRed * glint;
    data[to + 1] = (data[from + 1] ?? 0) * mirror + deepGreen * own + sparkGreen * glint;
    data[to + 2] = (data[from + 2] ?? 0) * mirror + deepBlue * own + sparkBlue * glint;
  }
}

const PATH_REACH = 2.2;
const spreadAt = (below: number) => 0.035 + below * 0.32;

/** Returns the light on the path below the sun: a column that widens towards the viewer, broken into flakes. */
function glitterAt(
  { scene, glitter }: MovingWater,
  x: number,
  below: number,
  flake: number,
  ripple: number,
): number {
  const away = Math.abs(x - scene.sun.x) * scene.aspect;
  const spread = spreadAt(below);
  if (away > spread * PATH_REACH) return 0;
  const path = Math.exp((-away * away) / (spread * spread));
  const calm = (1 - smoothstep(0.01, 0.06, below)) * 0.45;
  return clamp((smoothstep(0.12, 0.5, flake * 0.7 + ripple * 0.35) * 0.85 + calm) * path * glitter);
}
