import { clamp, colour, lerp, mix, shade, smoothstep, toRgb, type Colour, type Rgb } from './colour.ts';
import { createNoise, type Noise } from './noise.ts';
import type { Scene } from './scene.ts';
import type { Terrain } from './terrain.ts';

/** The materials of the land, and the air that makes it look far away. */
export interface Ground {
  /** sRGB of the sample that was shaded last. */
  readonly colour: Float32Array;
  readonly noise: Noise;
  readonly materials: Materials;
  readonly terrain: Terrain;
  readonly wood: Wood | null;
  readonly air: Air;
  readonly sandy: boolean;
  readonly banded: boolean;
}

/** The colours of a material in full shade and in full light. */
interface Material {
  readonly dark: Rgb;
  readonly lit: Rgb;
}

type Materials = Record<
  'grass' | 'grassDry' | 'rock' | 'sand' | 'snow' | 'wood' | 'bare' | 'strata' | 'water',
  Material
>;

export function createGround(scene: Scene, terrain: Terrain): Ground {
  return {
    colour: new Float32Array(3),
    noise: createNoise(scene.random.fork('ground')),
    materials: mixMaterials(scene),
    terrain,
    wood: plantWood(scene, terrain),
    air: createAir(scene),
    sandy: scene.water !== 'none',
    banded: terrain.bare && scene.land !== 'dunes',
  };
}

/** Writes the colour of a sample to `ground.colour`. `trees` is the height of the trees there. */
export function shadeGround(
  ground: Ground,
  x: number,
  z: number,
  height: number,
  trees: number,
  sunlight: number,
): void {
  const { colour: out, noise, materials } = ground;
  // The shadows of clouds move over the land as well.
  const light = sunlight * (0.78 + 0.34 * smoothstep(-0.3, 0.35, noise.at(x / 15 + 90, z / 15)));
  if (height <= 0) put(out, materials.water, 0.5);
  else if (trees > 0.02) put(out, materials.wood, clamp(light * 0.55 + trees * 0.35));
  else shadeBare(ground, x, z, height, light);
  veil(ground.air, out, z, height + trees);
}

function shadeBare(
  { colour: out, noise, materials, terrain, banded, sandy }: Ground,
  x: number,
  z: number,
  height: number,
  light: number,
): void {
  const patch = noise.fbm(x / 2.6, z / 2.6, 2);
  const rough = patch * 1.4;
  const lit = clamp(light * (1 + rough * 0.35));
  if (terrain.bare) {
    put(out, materials.bare, lit);
    if (banded) {
      const band = Math.sin(height * 2.6 + noise.at(x / 9, z / 9) * 1.5);
      over(out, materials.strata, lit, smoothstep(-0.2, 0.7, band) * 0.7);
    }
  } else {
    put(out, materials.grass, lit);
    over(out, materials.grassDry, lit, smoothstep(0, 0.5, patch) * 0.7);
    over(out, materials.rock, lit, smoothstep(2.4, 6.5, height + rough * 3));
  }
  if (sandy) over(out, materials.sand, lit, (1 - smoothstep(0.08, 0.4, height + rough * 0.2)) * 0.75);
  const snow = smoothstep(terrain.snowLine - 1.2, terrain.snowLine + 1.6, height + rough * 2.4);
  const settled = 0.35 + 0.65 * smoothstep(0.02, 0.3, light + rough * 0.15);
  over(out, materials.snow, clamp(light * 1.15), snow * settled);
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

function mixMaterials(scene: Scene): Materials {
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

/** Decides where trees stand and what shape they have. */
interface Wood {
  /** Where the grove noise is below this number, there is a clearing. */
  readonly openness: number;
  readonly pointed: boolean;
  readonly size: number;
}

function plantWood(scene: Scene, terrain: Terrain): Wood | null {
  const { tree, mood } = scene;
  if (terrain.bare || scene.land === 'sea' || tree === null || tree === 'palm' || tree === 'cactus')
    return null;
  const openness = scene.land === 'plain' ? 0.42 : mood.places.has('forest') ? -0.25 : 0.05;
  return { openness, pointed: tree === 'conifer', size: tree === 'conifer' ? 0.62 : 0.46 };
}

/**
 * Returns the height of trees: spires on a grid that widens with distance. No trees grow on water, cliff tops or open
 * meadow.
 */
export function treesAt(
  { wood, terrain, noise }: Ground,
  x: number,
  z: number,
  step: number,
  height: number,
): number {
  if (wood === null || z < 7 || z > 75 || height < 0.14 || height > terrain.treeLine + 2) return 0;
  const { openness, pointed, size } = wood;
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
}

/** Returns a number 0–1 for two whole numbers, without a visible pattern. */
function hashOf(a: number, b: number): number {
  let mixed = Math.imul(a, 374761393) + Math.imul(b, 668265263);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 1274126177);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 4294967296;
}

/** Distance fades into the colours of the sky, warmer below the sun. Mist fills low places. */
interface Air {
  readonly haze: Rgb;
  readonly mist: Rgb;
  readonly glow: Rgb;
  readonly reach: number;
  readonly mistDepth: number;
  readonly mistHeight: number;
  readonly thickness: number;
  readonly strength: number;
  readonly sunX: number;
  readonly falloff: number;
  /** 0–1 for the current column: how close it is to the sun's column. */
  warm: number;
}

function createAir(scene: Scene): Air {
  const { palette, mood, sun } = scene;
  const fog = mood.weather.fog;
  const dense = Math.max(fog, mood.weather.rain * 0.6, mood.weather.snow * 0.45);
  return {
    haze: toRgb(mix(palette.haze, palette.sky[3], 0.25)),
    mist: toRgb(mix(palette.haze, palette.sky[3], 0.6)),
    glow: toRgb(mix(palette.glow, palette.sky[3], 0.35)),
    reach: lerp(92, 26, dense) * (palette.time === 'day' ? 1.25 : 0.9),
    mistDepth: 0.25 + fog * 0.65 + scene.random.fork('mist').range(0, 0.3),
    mistHeight: 1.5 + fog * 2.5,
    thickness: scene.air,
    strength: sun.kind === 'sun' ? 0.75 : 0.3,
    sunX: sun.x,
    falloff: 2.4 * scene.aspect,
    warm: 0,
  };
}

/** Prepares a column. `x` is a share of the frame's width. The haze glows below the sun. */
export function enterColumn({ air }: Ground, x: number): void {
  air.warm = Math.exp(-Math.abs(x - air.sunX) * air.falloff) * air.strength;
}

function veil(air: Air, out: Float32Array, z: number, height: number): void {
  const { haze, mist, glow, warm } = air;
  const far = Math.min(0.93, 1 - Math.exp((-Math.max(0, z - 4) / air.reach) * air.thickness));
  const filled = Math.exp(-height / air.mistHeight) * smoothstep(14, 60, z);
  const low = Math.min(0.95, filled * air.mistDepth * air.thickness);
  for (let channel = 0; channel < 3; channel++) {
    const shine = glow[channel] ?? 0;
    const veiled = lerp(out[channel] ?? 0, lerp(haze[channel] ?? 0, shine, warm), far);
    out[channel] = lerp(veiled, lerp(mist[channel] ?? 0, shine, warm), low);
  }
}
