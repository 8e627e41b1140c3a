import type { SKRSContext2D } from '@napi-rs/canvas';
import { mix, shade, turn, type Colour } from './colour.ts';
import type { Trait } from './lexicon.ts';
import { throughOption } from './palette.ts';
import type { Random } from './random.ts';
import type { Scene } from './scene.ts';

export type HairStyle = 'long' | 'bob' | 'bun' | 'short' | 'curly' | 'none';

/**
 * One person, completely chosen before drawing begins. Lengths inside a figure are in heads. The origin lies between
 * the eyes and the nose.
 */
export interface Figure {
  readonly scene: Scene;
  readonly random: Random;
  readonly bold: boolean;
  readonly manly: boolean;
  readonly traits: ReadonlySet<Trait>;
  readonly hair: HairStyle;
  /** −1 looks to the left, 1 to the right. */
  readonly gaze: number;
  /** −1: the light comes from the left, 1: from the right. */
  readonly light: number;
  readonly eyesOpen: boolean;
  readonly tones: Tones;
}

interface Tones {
  readonly skin: Colour;
  readonly skinShade: Colour;
  readonly skinDeep: Colour;
  readonly skinLight: Colour;
  readonly lips: Colour;
  readonly hair: Colour;
  readonly hairDark: Colour;
  readonly hairLight: Colour;
  readonly cloth: Colour;
  readonly clothDark: Colour;
  readonly clothLight: Colour;
  readonly ornament: Colour;
  readonly line: Colour;
}

const SKINS: readonly [Colour, ...Colour[]] = [
  { l: 0.87, c: 0.045, h: 58 },
  { l: 0.81, c: 0.06, h: 58 },
  { l: 0.73, c: 0.075, h: 56 },
  { l: 0.62, c: 0.08, h: 52 },
  { l: 0.5, c: 0.07, h: 48 },
];
const HAIRS: readonly [Colour, ...Colour[]] = [
  { l: 0.22, c: 0.03, h: 290 },
  { l: 0.3, c: 0.05, h: 45 },
  { l: 0.42, c: 0.09, h: 48 },
  { l: 0.55, c: 0.13, h: 42 },
  { l: 0.74, c: 0.1, h: 82 },
  { l: 0.84, c: 0.02, h: 90 },
];

const SILVER: Colour = { l: 0.84, c: 0.02, h: 90 };

export function imagineFigure(scene: Scene): Figure {
  const random = scene.random.fork('figure');
  const { traits } = scene.mood;
  const bold = scene.look.baseModel === 'bold';
  const manly =
    traits.has('man') ||
    (!traits.has('woman') && !traits.has('wreath') && random.chance(0.38)) ||
    traits.has('beard');
  return {
    scene,
    random,
    bold,
    manly,
    traits,
    hair: chooseHair(traits, manly, random),
    gaze: scene.focus < 0.5 ? 1 : -1,
    light: scene.sun.x < 0.5 ? -1 : 1,
    eyesOpen: bold ? random.chance(0.65) : random.chance(0.2),
    tones: mixTones(scene, bold, random),
  };
}

function chooseHair(traits: ReadonlySet<Trait>, manly: boolean, random: Random): HairStyle {
  if (traits.has('robot') || traits.has('hood')) return 'none';
  if (traits.has('long-hair')) return 'long';
  if (traits.has('curly-hair')) return 'curly';
  if (traits.has('bun')) return 'bun';
  if (traits.has('short-hair')) return manly ? 'short' : 'bob';
  return manly
    ? random.pick(['short', 'short', 'curly'])
    : random.pick(['long', 'long', 'bob', 'bun', 'curly']);
}

function mixTones(scene: Scene, bold: boolean, random: Random): Tones {
  const { palette, look, mood } = scene;
  const through = (value: Colour) => throughOption(value, look.palette);
  const robot = mood.traits.has('robot');
  const complexion: Colour = robot ? { l: 0.78, c: 0.02, h: 240 } : random.pick(SKINS);
  // The haze of the picture tints the skin too, more strongly for bold figures.
  const skin = through(
    mix(complexion, { ...palette.haze, l: complexion.l }, (bold ? 0.34 : 0.2) * (0.5 + look.obedience)),
  );
  const elder = mood.traits.has('elder');
  const named = mood.colours[1];
  const hair = through(
    elder
      ? SILVER
      : bold && random.chance(0.45)
        ? shade(palette.counter, 0.7)
        : named && random.chance(0.4)
          ? { ...named, l: 0.5 }
          : random.pick(HAIRS),
  );
  const cloth = through(
    mood.colours[0]
      ? { ...mood.colours[0], l: Math.min(0.72, mood.colours[0].l) }
      : random.pick([palette.accent, palette.counter, palette.ambient]),
  );
  return {
    skin,
    skinLight: mix(skin, { ...palette.light, l: Math.min(0.97, skin.l + 0.1) }, 0.7),
    skinShade: mix(
      shade(skin, bold ? 0.72 : 0.84, 1.25),
      { ...palette.ambient, l: skin.l * 0.7 },
      bold ? 0.42 : 0.25,
    ),
    skinDeep: mix(shade(skin, 0.55, 1.2), palette.dark, 0.2),
    lips: through(mix(turn(shade(skin, 0.72), { l: 0.55, c: 0.14, h: 18 }, 0.75), palette.accent, 0.15)),
    hair,
    hairDark: mix(shade(hair, 0.6), palette.dark, 0.35),
    hairLight: mix(shade(hair, 1.25, 1.05), { ...palette.light, l: Math.min(0.9, hair.l + 0.25) }, 0.35),
    cloth,
    clothDark: mix(shade(cloth, 0.58), palette.dark, 0.3),
    clothLight: mix(shade(cloth, 1.2), palette.light, 0.3),
    ornament: through({ l: 0.82, c: 0.12, h: 85 }),
    line: mix(palette.dark, shade(skin, 0.35), 0.4),
  };
}

/** Traces a closed, mirrored shape of cubic curves. `start` and `curves` are its right half, from top to bottom. */
export function mirrored(
  context: SKRSContext2D,
  start: readonly [number, number],
  curves: readonly (readonly number[])[],
): void {
  context.beginPath();
  context.moveTo(start[0], start[1]);
  for (const [ax = 0, ay = 0, bx = 0, by = 0, x = 0, y = 0] of curves)
    context.bezierCurveTo(ax, ay, bx, by, x, y);
  const points = [start, ...curves.map(([, , , , x = 0, y = 0]) => [x, y] as const)];
  for (let index = curves.length - 1; index >= 0; index--) {
    const [ax = 0, ay = 0, bx = 0, by = 0] = curves[index] ?? [];
    const [x, y] = points[index] ?? start;
    if (index === curves.length - 1) {
      const [endX, endY] = points[index + 1] ?? start;
      context.lineTo(-endX, endY);
    }
    context.bezierCurveTo(-bx, by, -ax, ay, -x, y);
  }
  context.closePath();
}
