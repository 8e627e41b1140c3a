import { clamp, colour, mix, turn, type Colour } from './colour.ts';
import type { Season, TimeOfDay } from './lexicon.ts';
import type { Look } from './look.ts';
import { HOURS, type Hour } from './palette-tables.ts';
import type { Mood } from './prompt-mood.ts';
import type { Random } from './random.ts';

/** All colours that a painter may use. They are in harmony. */
export interface Palette extends Hour {
  readonly time: TimeOfDay;
  readonly foliage: Colour;
  readonly rock: Colour;
  readonly sand: Colour;
  readonly snow: Colour;
  readonly water: Colour;
  readonly blossom: Colour;
  /** Two colours that stand out from the rest. */
  readonly accent: Colour;
  readonly counter: Colour;
  /** For styles that print on paper. */
  readonly paper: Colour;
  readonly ink: Colour;
}

const FOLIAGE: Readonly<Record<Season, readonly [Colour, ...Colour[]]>> = {
  spring: [colour(0.66, 0.13, 132), colour(0.7, 0.11, 122)],
  summer: [colour(0.56, 0.11, 140), colour(0.52, 0.1, 150), colour(0.6, 0.1, 126)],
  autumn: [colour(0.62, 0.14, 58), colour(0.58, 0.15, 42), colour(0.68, 0.13, 78)],
  winter: [colour(0.5, 0.045, 175), colour(0.48, 0.04, 200)],
};
const BLOSSOMS: readonly [Colour, ...Colour[]] = [
  colour(0.8, 0.11, 5),
  colour(0.66, 0.2, 28),
  colour(0.7, 0.14, 305),
  colour(0.86, 0.14, 92),
  colour(0.66, 0.15, 265),
];

/**
 * Chooses the palette of one picture: the colours of a time of day, changed by the words, the references and the
 * parameters.
 */
export function choosePalette(mood: Mood, look: Look, time: TimeOfDay, random: Random): Palette {
  const hour = random.pick(HOURS[time]);
  const season = mood.season ?? 'summer';
  const named = [...mood.colours, ...look.references].slice(0, 4);
  const drift = random.gaussian() * 7;
  const natural: Palette = {
    ...hour,
    time,
    foliage: random.pick(FOLIAGE[season]),
    rock: random.pick([colour(0.52, 0.025, 262), colour(0.54, 0.03, 60), colour(0.48, 0.03, 300)]),
    sand: random.pick([colour(0.78, 0.085, 72), colour(0.72, 0.11, 55), colour(0.8, 0.06, 85)]),
    snow: colour(0.96, 0.012, 240),
    water: random.pick([colour(0.42, 0.08, 225), colour(0.45, 0.08, 205), colour(0.38, 0.09, 250)]),
    blossom: mood.colours[0] ?? (mood.tree === 'blossom' ? BLOSSOMS[0] : random.pick(BLOSSOMS)),
    accent: named[0] ?? colour(0.68, 0.16, hour.glow.h - random.range(18, 55)),
    counter: named[1] ?? colour(0.6, 0.12, hour.glow.h + 180 + random.range(-30, 30)),
    paper: colour(0.955, 0.018, random.range(70, 100)),
    ink: colour(0.25, 0.06, hour.ambient.h + random.range(-15, 15)),
  };
  const own: Partial<Record<keyof Palette, Colour | null>> = {
    foliage: mood.ofLand,
    sand: mood.ofLand,
    water: mood.ofWater,
    blossom: mood.ofFlowers,
  };
  const steps: ((value: Colour, role: keyof Palette) => Colour)[] = [
    (value) => ({ ...value, h: value.h + drift }),
    (value, role) => towardsNamed(value, role, named, look.obedience),
    (value, role) => towardsOwn(value, own[role], look.obedience),
    (value) => towardsFeeling(value, mood, look.obedience),
    (value) => throughOption(value, look.palette),
  ];
  return mapPalette(natural, (value, role) => steps.reduce((so, step) => step(so, role), value));
}

type Change = (value: Colour, role: keyof Palette) => Colour;

function mapPalette(palette: Palette, change: Change): Palette {
  const [zenith, high, low, horizon] = palette.sky;
  const at = (role: Exclude<keyof Palette, 'sky' | 'time' | 'exposure'>) => change(palette[role], role);
  return {
    sky: [change(zenith, 'dark'), change(high, 'sky'), change(low, 'sky'), change(horizon, 'glow')],
    time: palette.time,
    exposure: palette.exposure,
    glow: at('glow'),
    disc: at('disc'),
    light: at('light'),
    ambient: at('ambient'),
    haze: at('haze'),
    dark: at('dark'),
    foliage: at('foliage'),
    rock: at('rock'),
    sand: at('sand'),
    snow: at('snow'),
    water: at('water'),
    blossom: at('blossom'),
    accent: at('accent'),
    counter: at('counter'),
    paper: at('paper'),
    ink: at('ink'),
  };
}

/**
 * How strongly each role takes on a colour from the prompt. The last number selects the first (0) or second (1) named
 * colour.
 */
const READINESS: Partial<Record<keyof Palette, readonly [pull: number, takes: 0 | 1]>> = {
  sky: [0.95, 0],
  glow: [0.8, 1],
  light: [0.7, 1],
  haze: [0.95, 0],
  ambient: [0.75, 0],
  dark: [0.8, 0],
  water: [0.7, 0],
  rock: [0.55, 0],
  foliage: [0.4, 1],
  sand: [0.35, 1],
  snow: [0.2, 0],
  disc: [0.25, 1],
  paper: [0.35, 1],
  ink: [0.7, 0],
};

function towardsNamed(
  value: Colour,
  role: keyof Palette,
  named: readonly Colour[],
  obedience: number,
): Colour {
  const [pull, takes] = READINESS[role] ?? [0, 0];
  const target = named[takes] ?? named[0];
  // A single named colour is weaker here, so that the light keeps its own hue. Otherwise this colour would flood the
  // picture.
  const lone = takes === 1 && named.length === 1 ? 0.45 : 1;
  if (!target || pull === 0) return value;
  const strength = pull * lone * clamp(obedience * 1.5);
  // The hue follows the word. The lightness mostly stays with the time of day, otherwise night would become day.
  const neutral = target.c < 0.04;
  const wanted = {
    l: value.l + (target.l - value.l) * (neutral ? 0.35 : 0.15),
    c: neutral ? target.c : Math.max(value.c, Math.min(target.c, 0.16) * (value.l > 0.85 ? 0.6 : 0.9)),
    h: target.h,
  };
  // Nearby hues are turned, distant hues pass through grey: a turn by half the circle would show unrelated colours.
  const distance = Math.abs(((((target.h - value.h) % 360) + 540) % 360) - 180);
  return distance < 70 ? turn(value, wanted, strength) : mix(value, wanted, strength);
}

/** Gives a thing the colour that the words name for it, including lightness. */
function towardsOwn(value: Colour, wanted: Colour | null | undefined, obedience: number): Colour {
  if (!wanted) return value;
  return mix(value, { l: (value.l + wanted.l) / 2, c: wanted.c, h: wanted.h }, clamp(obedience * 1.9));
}

function towardsFeeling(value: Colour, mood: Mood, obedience: number): Colour {
  const strength = obedience * 2;
  const { storm, rain, fog, snow } = mood.weather;
  const grey = clamp(storm * 0.35 + rain * 0.3 + fog * 0.25 + snow * 0.3) * clamp(strength);
  const chroma = (1 + mood.chroma * 0.35 * strength) * (1 - grey);
  const light = mood.light * 0.09 * strength - storm * 0.15;
  const tint = mood.warmth > 0 ? colour(value.l, value.c + 0.03, 60) : colour(value.l, value.c + 0.02, 245);
  const warmed = mix(value, tint, clamp(Math.abs(mood.warmth) * 0.28 * strength, 0, 0.5));
  return {
    l: clamp(warmed.l + light * (0.4 + warmed.l * 0.6), 0.04, 1),
    c: Math.max(0, warmed.c * chroma),
    h: warmed.h,
  };
}

/** Applies the palette option to a colour that is not in a palette, such as skin. */
export function throughOption(value: Colour, option: Look['palette']): Colour {
  switch (option) {
    case 'vivid':
      return { l: value.l, c: value.c * 1.4 + 0.012, h: value.h };
    case 'pastel':
      return { l: 0.36 + value.l * 0.62, c: value.c * 0.62, h: value.h };
    case 'mono':
      return { l: value.l, c: Math.min(value.c, 0.1) * 0.16, h: 250 };
    default:
      return value;
  }
}
