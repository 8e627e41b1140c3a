import { clamp, lerp, smoothstep } from './colour.ts';
import { createNoise, type Noise } from './noise.ts';
import type { Land, Scene } from './scene.ts';

/**
 * Heights over a plane, seen from `eye` above the water, which is at height 0. X goes across and Z into the picture (2
 * at the viewer's feet, 140 at the farthest ridge). Forms are plain functions of a shape, so that their optimised code
 * is kept from picture to picture.
 */
export interface Terrain {
  readonly shape: Shape;
  readonly form: (shape: Shape, x: number, z: number) => number;
  readonly eye: number;
  /** Snow lies above `snowLine`, trees grow below `treeLine`. */
  readonly snowLine: number;
  readonly treeLine: number;
  /** True for layers of rock, false for slopes of grass. */
  readonly bare: boolean;
}

/** The properties of a form that the seed chooses. */
interface Shape {
  readonly noise: Noise;
  readonly octaves: number;
  readonly lake: Lake | null;
  readonly dry: boolean;
  /** The summit, island, cone or headland that is the subject of the picture. */
  readonly depth: number;
  readonly centre: number;
  readonly radius: number;
  readonly tallness: number;
  readonly shift: number;
  /** Half of the visible width at depth 1, and the side of the focus. */
  readonly spread: number;
  readonly side: number;
}

interface Lake {
  readonly back: number;
  readonly front: number;
  readonly lean: number;
  readonly widen: number;
}

export const NEAR = 1.9;
export const FAR = 140;

export function createTerrain(scene: Scene): Terrain {
  const random = scene.random.fork('summit');
  const winter = scene.mood.season === 'winter' || scene.mood.weather.snow > 0.3;
  const [near, far] = DEPTHS[scene.land] ?? [58, 80];
  const depth = random.range(near, far);
  const high = scene.land === 'mountains';
  return {
    form: FORMS[scene.land],
    shape: {
      noise: createNoise(scene.random.fork('terrain')),
      octaves: 4 + scene.look.detail * 4,
      lake: scene.water === 'lake' ? digLake(scene) : null,
      dry: scene.water === 'none',
      depth,
      centre: (scene.focus - 0.5) * scene.aspect * depth,
      radius: random.range(30, 42),
      tallness: random.range(15, 21),
      shift: random.range(0, 200),
      spread: scene.aspect * 0.5,
      side: scene.focus < 0.5 ? -1 : 1,
    },
    eye: scene.land === 'sea' || scene.land === 'islands' ? 1.1 : scene.land === 'dunes' ? 2.2 : 1.6,
    snowLine: winter ? -1 : high ? scene.random.fork('snow').range(7.5, 11) : 99,
    treeLine: high || scene.land === 'volcano' ? 4.2 : 7,
    bare: scene.land === 'canyon' || scene.land === 'dunes' || scene.land === 'volcano',
  };
}

/** Returns the height of the ground at a place; 0 or less is under water. */
export function heightAt({ form, shape }: Terrain, x: number, z: number): number {
  const height = form(shape, x, z);
  if (shape.lake) return flooded(shape, shape.lake, x, z, height);
  // Dry land has no puddles.
  return shape.dry && height < 0.03 ? 0.03 : height;
}

const DEPTHS: Partial<Record<Land, readonly [number, number]>> = {
  volcano: [70, 70],
  islands: [34, 60],
  sea: [36, 70],
};

const FORMS: Readonly<Record<Land, Terrain['form']>> = {
  mountains,
  volcano,
  hills,
  plain,
  dunes,
  canyon,
  islands,
  sea: headland,
};

/** Eroded ranges behind foothills, with one summit at the picture's focus. */
function mountains(
  { noise, octaves, shift, centre, depth, radius, tallness }: Shape,
  x: number,
  z: number,
): number {
  const far = smoothstep(14, 72, z);
  const worn = noise.eroded(x / 21 + shift, z / 21, octaves);
  const range = far * far * worn * 27;
  const dx = x - centre;
  const dz = (z - depth) * 1.15;
  const toSummit = Math.sqrt(dx * dx + dz * dz) / radius;
  const cone = toSummit < 1 ? (1 - toSummit) ** 1.25 : 0;
  const summit = cone * tallness * (0.55 + worn * 1.1);
  const foothills = noise.fbm(x / 9, z / 9, Math.min(5, octaves)) * lerp(0.35, 2.6, smoothstep(4, 26, z));
  const height = 0.4 + foothills + range + summit;
  // The sky stays visible above even the highest mountain.
  const cap = z * 0.3;
  return height < cap ? height : cap + (height - cap) * 0.4;
}

function volcano({ noise, octaves, centre, depth }: Shape, x: number, z: number): number {
  const gullies = noise.eroded(x / 13 + 40, z / 13, octaves);
  const away = Math.hypot(x - centre, z - depth) / 46;
  const cone = away < 1 ? (1 - away) ** 1.9 * 40 : 0;
  const crater = Math.max(0, 1 - away / 0.075);
  const rolling = noise.fbm(x / 10, z / 10, 4) * lerp(0.4, 3, smoothstep(6, 40, z));
  return 0.4 + rolling + cone * (0.86 + gullies * 0.28) - crater * 5 + smoothstep(80, 130, z) * gullies * 8;
}

function hills({ noise, octaves }: Shape, x: number, z: number): number {
  const rolling = noise.fbm(x / 11 + 3, z / 13, 2 + octaves * 0.2) * lerp(0.7, 7, smoothstep(3, 40, z));
  return 0.35 + rolling + smoothstep(20, 120, z) * 4;
}

function plain({ noise, octaves }: Shape, x: number, z: number): number {
  const rolling = noise.fbm(x / 7, z / 9, 3) * lerp(0.16, 1.2, smoothstep(4, 60, z));
  const far = smoothstep(55, 130, z);
  return 0.12 + rolling + (far > 0 ? far * (3.2 + noise.fbm(x / 18, z / 30, octaves) * 8) : 0);
}

/** Long crests with a steep side away from the wind. */
function dunes({ noise }: Shape, x: number, z: number): number {
  const bend = noise.at(x / 12, z / 19) * 9 + noise.at(x / 5, z / 8) * 1.6;
  const wave = (x * 0.5 + z + bend) / 12.5;
  const phase = wave - Math.floor(wave);
  const crest = phase < 0.66 ? smoothstep(-0.15, 0.66, phase) : 1 - smoothstep(0.66, 1, phase) * 0.85;
  const size = lerp(0.9, 6.5, smoothstep(4, 50, z)) * (0.75 + noise.at(x / 21, z / 26 + 3) * 0.7);
  const ripples = Math.sin((x * 0.8 + z * 2.2 + bend) * 5) * 0.006 * (1 - smoothstep(4, 14, z));
  return 0.1 + crest * Math.max(0.1, size) * smoothstep(1.5, 9, z) + ripples;
}

function canyon({ noise, octaves }: Shape, x: number, z: number): number {
  const raw = noise.eroded(x / 24 + 11, z / 26, octaves) * 1.5 - 0.28 + smoothstep(20, 90, z) * 0.16;
  const level = clamp(raw, 0, 1) * 5;
  const floor = Math.floor(level);
  const wall = smoothstep(0.12, 0.34, level - floor);
  const mesa = ((floor + wall) / 5) * 19 * smoothstep(9, 46, z);
  return 0.25 + mesa + noise.fbm(x / 4, z / 4, 4) * 0.25;
}

function islands({ noise, octaves, centre, depth }: Shape, x: number, z: number): number {
  const worn = noise.eroded(x / 15, z / 15 + 50, octaves);
  const away = Math.hypot((x - centre) / 20, (z - depth) / 13);
  const main = Math.max(0, 1 - away) ** 0.9 * (5 + worn * 11);
  const others = smoothstep(24, 60, z) * (worn * 15 + noise.fbm(x / 26, z / 20, 3) * 9 - 7.5);
  return Math.max(main - 0.5, others, -1);
}

/** Open water, with at most one headland that reaches in from the side of the focus. */
function headland({ noise, octaves, depth, side, spread }: Shape, x: number, z: number): number {
  const reach = (side * x) / (depth * spread) - 0.42 - noise.at(x / 11, z / 9) * 0.1;
  const body = reach > 0 ? Math.sqrt(Math.min(1, reach)) : reach;
  const here = Math.max(0, 1 - Math.abs(z - depth) / 24);
  return body * here * (8 + noise.eroded(x / 12, z / 12, octaves) * 13) - 0.4;
}

function digLake(scene: Scene): Lake {
  const random = scene.random.fork('lake');
  return {
    back: random.range(26, 36),
    front: random.range(1.2, 3.4),
    lean: (0.5 - scene.focus) * 6,
    widen: 0.62 * Math.max(1, scene.aspect * 0.8),
  };
}

/** Lowers the middle distance under water, with irregular shores. */
function flooded({ noise }: Shape, lake: Lake, x: number, z: number, height: number): number {
  if (z > lake.back + 14) return height;
  const wander = noise.fbm(x / 8 + 20, z / 8, 3) * 5;
  const inward = 1 - Math.abs(x - lake.lean) / (6 + z * lake.widen) + wander * 0.05;
  const along = Math.min((z - lake.front) / 3.5, (lake.back + wander - z) / 7);
  const depth = clamp(Math.min(inward * 2.2, along), -1, 1);
  return depth > 0 ? lerp(height, -0.8, smoothstep(0, 0.4, depth)) : height;
}
