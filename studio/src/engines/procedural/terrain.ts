import { clamp, lerp, smoothstep } from './colour.ts';
import { createNoise, type Noise } from './noise.ts';
import type { Scene } from './scene.ts';

/**
 * Heights over a plane seen from one unit above the ground: X across, Z into the picture (2 at the viewer's feet,
 * 140 at the farthest ridge). Water lies at 0.
 */
export type HeightAt = (x: number, z: number) => number;

export interface Terrain {
  readonly heightAt: HeightAt;
  /** Height of the viewer above the water. */
  readonly eye: number;
  /** Heights above which snow lies and below which trees grow. */
  readonly snowLine: number;
  readonly treeLine: number;
  /** Strata of rock rather than slopes of grass. */
  readonly bare: boolean;
}

export const NEAR = 1.9;
export const FAR = 140;

export function createTerrain(scene: Scene): Terrain {
  const noise = createNoise(scene.random.fork('terrain'));
  const octaves = 4 + scene.look.detail * 4;
  const winter = scene.mood.season === 'winter' || scene.mood.weather.snow > 0.3;
  const lake = scene.water === 'lake' ? lakeBasin(scene, noise) : null;
  const base = landform(scene, noise, octaves);
  const snowLine = winter ? -1 : scene.land === 'mountains' ? scene.random.fork('snow').range(7.5, 11) : 99;
  return {
    heightAt: lake
      ? (x, z) => lake(x, z, base(x, z))
      : // Without water there are no puddles either.
        scene.water === 'none'
        ? (x, z) => Math.max(0.03, base(x, z))
        : base,
    eye: scene.land === 'sea' || scene.land === 'islands' ? 1.1 : scene.land === 'dunes' ? 2.2 : 1.6,
    snowLine,
    treeLine: scene.land === 'mountains' || scene.land === 'volcano' ? 4.2 : 7,
    bare: scene.land === 'canyon' || scene.land === 'dunes' || scene.land === 'volcano',
  };
}

function landform(scene: Scene, noise: Noise, octaves: number): HeightAt {
  switch (scene.land) {
    case 'mountains':
      return mountains(scene, noise, octaves);
    case 'volcano':
      return volcano(scene, noise, octaves);
    case 'hills':
      return (x, z) =>
        0.35 +
        noise.fbm(x / 11 + 3, z / 13, 2 + octaves * 0.2) * lerp(0.7, 7, smoothstep(3, 40, z)) +
        smoothstep(20, 120, z) * 4;
    case 'plain':
      return (x, z) =>
        0.12 +
        noise.fbm(x / 7, z / 9, 3) * lerp(0.16, 1.2, smoothstep(4, 60, z)) +
        smoothstep(55, 130, z) * (3.2 + noise.fbm(x / 18, z / 30, octaves) * 8);
    case 'dunes':
      return dunes(noise);
    case 'canyon':
      return canyon(noise, octaves);
    case 'islands':
      return islands(scene, noise, octaves);
    case 'sea':
      return headland(scene, noise, octaves);
  }
}

/** Worn ranges behind foothills, with one summit where the picture wants its focus. */
function mountains(scene: Scene, noise: Noise, octaves: number): HeightAt {
  const random = scene.random.fork('summit');
  const depth = random.range(58, 80);
  const summitX = (scene.focus - 0.5) * scene.aspect * depth;
  const radius = random.range(30, 42);
  const tallness = random.range(15, 21);
  const shift = random.range(0, 200);
  return (x, z) => {
    const far = smoothstep(14, 72, z);
    const worn = noise.eroded(x / 21 + shift, z / 21, octaves);
    const range = far * far * worn * 27;
    const toSummit = Math.hypot(x - summitX, (z - depth) * 1.15) / radius;
    const cone = toSummit < 1 ? (1 - toSummit) ** 1.25 : 0;
    const summit = cone * tallness * (0.55 + worn * 1.1);
    const foothills = noise.fbm(x / 9, z / 9, Math.min(5, octaves)) * lerp(0.35, 2.6, smoothstep(4, 26, z));
    const height = 0.4 + foothills + range + summit;
    // However high a mountain, the frame keeps sky above it.
    const cap = z * 0.3;
    return height < cap ? height : cap + (height - cap) * 0.4;
  };
}

function volcano(scene: Scene, noise: Noise, octaves: number): HeightAt {
  const depth = 70;
  const centre = (scene.focus - 0.5) * scene.aspect * depth;
  return (x, z) => {
    const gullies = noise.eroded(x / 13 + 40, z / 13, octaves);
    const away = Math.hypot(x - centre, z - depth) / 46;
    const cone = away < 1 ? (1 - away) ** 1.9 * 40 : 0;
    const crater = Math.max(0, 1 - away / 0.075);
    const hills = noise.fbm(x / 10, z / 10, 4) * lerp(0.4, 3, smoothstep(6, 40, z));
    return 0.4 + hills + cone * (0.86 + gullies * 0.28) - crater * 5 + smoothstep(80, 130, z) * gullies * 8;
  };
}

/** Long crests with a sharp lee side. */
function dunes(noise: Noise): HeightAt {
  return (x, z) => {
    const bend = noise.at(x / 12, z / 19) * 9 + noise.at(x / 5, z / 8) * 1.6;
    const wave = (x * 0.5 + z + bend) / 12.5;
    const phase = wave - Math.floor(wave);
    const crest = phase < 0.66 ? smoothstep(-0.15, 0.66, phase) : 1 - smoothstep(0.66, 1, phase) * 0.85;
    const size = lerp(0.9, 6.5, smoothstep(4, 50, z)) * (0.75 + noise.at(x / 21, z / 26 + 3) * 0.7);
    const ripples = Math.sin((x * 0.8 + z * 2.2 + bend) * 5) * 0.006 * (1 - smoothstep(4, 14, z));
    return 0.1 + crest * Math.max(0.1, size) * smoothstep(1.5, 9, z) + ripples;
  };
}

function canyon(noise: Noise, octaves: number): HeightAt {
  return (x, z) => {
    const raw = noise.eroded(x / 24 + 11, z / 26, octaves) * 1.5 - 0.28 + smoothstep(20, 90, z) * 0.16;
    const level = clamp(raw, 0, 1) * 5;
    const floor = Math.floor(level);
    const wall = smoothstep(0.12, 0.34, level - floor);
    const mesa = ((floor + wall) / 5) * 19 * smoothstep(9, 46, z);
    return 0.25 + mesa + noise.fbm(x / 4, z / 4, 4) * 0.25;
  };
}

function islands(scene: Scene, noise: Noise, octaves: number): HeightAt {
  const depth = scene.random.fork('island').range(34, 60);
  const centre = (scene.focus - 0.5) * scene.aspect * depth;
  return (x, z) => {
    const worn = noise.eroded(x / 15, z / 15 + 50, octaves);
    const away = Math.hypot((x - centre) / 20, (z - depth) / 13);
    const main = Math.max(0, 1 - away) ** 0.9 * (5 + worn * 11);
    const others = smoothstep(24, 60, z) * (worn * 15 + noise.fbm(x / 26, z / 20, 3) * 9 - 7.5);
    return Math.max(main - 0.5, others, -1);
  };
}

/** Open water; at most a headland that leans in from the side of the focus. */
function headland(scene: Scene, noise: Noise, octaves: number): HeightAt {
  const side = scene.focus < 0.5 ? -1 : 1;
  const depth = scene.random.fork('headland').range(36, 70);
  return (x, z) => {
    const reach = (side * x) / (depth * scene.aspect * 0.5) - 0.42 - noise.at(x / 11, z / 9) * 0.1;
    const body = reach > 0 ? Math.sqrt(Math.min(1, reach)) : reach;
    const here = Math.max(0, 1 - Math.abs(z - depth) / 24);
    return body * here * (8 + noise.eroded(x / 12, z / 12, octaves) * 13) - 0.4;
  };
}

/** Presses the middle distance under water and leaves shores that wander. */
function lakeBasin(scene: Scene, noise: Noise): (x: number, z: number, height: number) => number {
  const random = scene.random.fork('lake');
  const back = random.range(26, 36);
  const front = random.range(1.2, 3.4);
  const lean = (0.5 - scene.focus) * 6;
  return (x, z, height) => {
    if (z > back + 14) return height;
    const wander = noise.fbm(x / 8 + 20, z / 8, 3) * 5;
    const width = 6 + z * 0.62 * Math.max(1, scene.aspect * 0.8);
    const inward = 1 - Math.abs(x - lean) / width + wander * 0.05;
    const along = Math.min((z - front) / 3.5, (back + wander - z) / 7);
    const depth = clamp(Math.min(inward * 2.2, along), -1, 1);
    return depth > 0 ? lerp(height, -0.8, smoothstep(0, 0.4, depth)) : height;
  };
}
