import { clamp, colour, lerp, mix, shade, smoothstep, toRgb, type Colour, type Rgb } from './colour.ts';
import { createNoise, type Noise } from './noise.ts';
import type { Scene } from './scene.ts';
import type { Terrain } from './terrain.ts';

/** What the land is made of, and how far away it looks. */
export interface Ground {
  /** sRGB of the last shaded sample. */
  readonly colour: Float32Array;
  /** `x` as a share of the frame's width: the haze glows below the sun. */
  enterColumn(x: number): void;
  /** Height of the wood above the ground. */
  treesAt(x: number, z: number, step: number, height: number): number;
  /** Leaves the colour of a sample in `colour`. */
  shade(x: number, z: number, height: number, trees: number, light: number): void;
}

/** A material as it looks in full shade and in full light. */
interface Material {
  readonly dark: Rgb;
  readonly lit: Rgb;
}

export function createGround(scene: Scene, terrain: Terrain): Ground {
  const noise = createNoise(scene.random.fork('ground'));
  const materials = mixMaterials(scene);
  const air = createAir(scene);
  const out = new Float32Array(3);
  const wood = createWood(scene, terrain, noise);
  const shoreSand = scene.water !== 'none';
  const banded = terrain.bare;
  return {
    colour: out,
    enterColumn: air.enterColumn,
    treesAt: wood,
    shade: (x, z, height, trees, sunlight) => {
      // Clouds wander over the land as well.
      const light = sunlight * (0.78 + 0.34 * smoothstep(-0.3, 0.35, noise.at(x / 15 + 90, z / 15)));
      if (height <= 0) {
        put(out, materials.water, 0.5);
      } else if (trees > 0.02) {
        put(out, materials.wood, clamp(light * 0.55 + trees * 0.35));
      } else {
        const patch = noise.fbm(x / 2.6, z / 2.6, 2);
        const rough = patch * 1.4;
        const lit = clamp(light * (1 + rough * 0.35));
        put(out, banded ? materials.bare : materials.grass, lit);
        if (!banded) {
          over(out, materials.grassDry, lit, smoothstep(0, 0.5, patch) * 0.7);
          over(out, materials.rock, lit, smoothstep(2.4, 6.5, height + rough * 3));
        } else {
          const band = Math.sin(height * 2.6 + noise.at(x / 9, z / 9) * 1.5);
          over(out, materials.strata, lit, scene.land === 'dunes' ? 0 : smoothstep(-0.2, 0.7, band) * 0.7);
        }
        if (shoreSand) over(out, materials.sand, lit, 1 - smoothstep(0.1, 0.5, height + rough * 0.2));
        const snow = smoothstep(terrain.snowLine - 1.2, terrain.snowLine + 1.6, height + rough * 2.4);
        over(
          out,
          materials.snow,
          clamp(light * 1.15),
          snow * (0.35 + 0.65 * smoothstep(0.02, 0.3, light + rough * 0.15)),
        );
      }
      air.veil(out, z, height + trees);
    },
  };
}

function put(out: Float32Array, { dark, lit }: Material, light: number): void {
  for (let channel = 0; channel < 3; channel++)
    out[channel] = lerp(dark[channel] ?? 0, lit[channel] ?? 0, light);
}

function over(out: Float32Array, { dark, lit }: Material, light: number, amount: number): void {
  if (amount <= 0) return;
  for (let channel = 0; channel < 3; channel++) {
    const under = out[channel] ?? 0;
    out[channel] = under + (lerp(dark[channel] ?? 0, lit[channel] ?? 0, light) - under) * amount;
  }
}

function mixMaterials(
  scene: Scene,
): Record<'grass' | 'grassDry' | 'rock' | 'sand' | 'snow' | 'wood' | 'bare' | 'strata' | 'water', Material> {
  const { palette, mood, look } = scene;
  const { exposure, light, ambient } = palette;
  const contrast = 0.85 + look.weight * 0.15;
  const material = (base: Colour, brightness = 1): Material => ({
    dark: toRgb(
      shade(
        mix(
          { ...base, l: base.l * exposure * 0.52 * brightness },
          { ...ambient, l: ambient.l * 0.78 * brightness },
          0.55,
        ),
        1 / contrast,
      ),
    ),
    lit: toRgb(
      shade(mix({ ...base, l: base.l * (0.42 + exposure * 0.62) * brightness }, light, 0.22), contrast),
    ),
  });
  const winter = mood.season === 'winter' || mood.weather.snow > 0.3;
  const red = scene.land === 'canyon' || (scene.land === 'dunes' && mood.warmth > 0.5);
  const bare =
    scene.land === 'volcano'
      ? palette.rock
      : red
        ? mix(palette.sand, colour(0.62, 0.13, 42), 0.6)
        : palette.sand;
  return {
    grass: material(palette.foliage),
    grassDry: material(mix(palette.foliage, colour(0.72, 0.09, 95), 0.5)),
    rock: material(palette.rock),
    sand: material(palette.sand),
    snow: material({ ...palette.snow, l: 0.97 }, 1.06),
    wood: material(
      { l: palette.foliage.l * (winter ? 0.72 : 0.66), c: palette.foliage.c * 0.8, h: palette.foliage.h + 8 },
      0.85,
    ),
    bare: material(bare),
    strata: material(shade(mix(bare, palette.rock, 0.35), 0.8)),
    water: material(palette.water),
  };
}

/** Trees as spires on a lattice that grows with distance; none on water, cliffs' tops or open meadow. */
function createWood(scene: Scene, terrain: Terrain, noise: Noise): Ground['treesAt'] {
  const { tree, mood } = scene;
  if (terrain.bare || scene.land === 'sea' || tree === null || tree === 'palm' || tree === 'cactus')
    return () => 0;
  const asked = mood.places.has('forest');
  const openness = scene.land === 'plain' ? 0.42 : asked ? -0.25 : 0.05;
  const pointed = tree === 'conifer';
  const size = pointed ? 0.62 : 0.46;
  return (x, z, step, height) => {
    if (z < 7 || z > 75 || height < 0.14 || height > terrain.treeLine + 2) return 0;
    const edge = Math.min(
      smoothstep(7, 12, z),
      1 - smoothstep(terrain.treeLine - 1, terrain.treeLine + 2, height),
    );
    const grove = noise.fbm(x / 6 + 70, z / 6, 2) + (edge - 1) * 0.8;
    if (grove < openness) return 0;
    const cell = size * 0.62 + z * 0.0016;
    const place = x / cell + step * 0.37;
    const index = Math.floor(place);
    const hash = hashOf(index, step);
    const across = Math.abs(place - index - 0.5 + (hash - 0.5) * 0.3) * 2;
    const shape = pointed ? 1 - across * 1.05 : Math.sqrt(Math.max(0, 1 - across * across));
    if (shape <= 0) return 0;
    return shape * size * (0.55 + hash * 0.75) * smoothstep(openness, openness + 0.12, grove);
  };
}

/** 0–1, without pattern for whole numbers. */
function hashOf(a: number, b: number): number {
  let mixed = Math.imul(a, 374761393) + Math.imul(b, 668265263);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 1274126177);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 4294967296;
}

/** Distance fades into the sky's own colours, warmer under the sun, and mist fills what lies low. */
function createAir(scene: Scene) {
  const { palette, mood, sun } = scene;
  const fog = mood.weather.fog;
  const haze = toRgb(mix(palette.haze, palette.sky[3], 0.25));
  const mist = toRgb(mix(palette.haze, palette.sky[3], 0.6));
  const glow = toRgb(mix(palette.glow, palette.sky[3], 0.35));
  const reach =
    lerp(92, 26, Math.max(fog, mood.weather.rain * 0.6, mood.weather.snow * 0.45)) *
    (palette.time === 'day' ? 1.25 : 0.9);
  const mistDepth = 0.25 + fog * 0.65 + scene.random.fork('mist').range(0, 0.3);
  const strength = sun.kind === 'sun' ? 0.75 : 0.3;
  let warm = 0;
  return {
    enterColumn: (x: number) => {
      warm = Math.exp(-Math.abs(x - sun.x) * 2.4 * scene.aspect) * strength;
    },
    veil: (out: Float32Array, z: number, height: number) => {
      const away = Math.max(0, z - 4);
      const far = 1 - Math.exp((-away / reach) * scene.air);
      const low = Math.exp(-height / (1.5 + fog * 2.5)) * smoothstep(14, 60, z) * mistDepth * scene.air;
      for (let channel = 0; channel < 3; channel++) {
        const tone = lerp(haze[channel] ?? 0, glow[channel] ?? 0, warm);
        const veiled = lerp(out[channel] ?? 0, tone, Math.min(0.93, far));
        out[channel] = lerp(veiled, lerp(mist[channel] ?? 0, glow[channel] ?? 0, warm), Math.min(0.95, low));
      }
    },
  };
}
