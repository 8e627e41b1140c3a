import { colour, type Colour } from './colour.ts';
import type { TimeOfDay } from './lexicon.ts';

/**
 * The colours of one hour of the day. `sky` runs from the zenith down to the horizon. `palette.ts` chooses among them.
 */
export interface Hour {
  readonly sky: readonly [Colour, Colour, Colour, Colour];
  /** Around the sun or moon. */
  readonly glow: Colour;
  readonly disc: Colour;
  /** The colours that direct light gives to lit surfaces and the sky gives to surfaces in shade. */
  readonly light: Colour;
  readonly ambient: Colour;
  /** The colour into which distance fades. */
  readonly haze: Colour;
  /** Foreground silhouettes. */
  readonly dark: Colour;
  /** 0–1: how light the land is. */
  readonly exposure: number;
}

const hour = (sky: readonly [Colour, Colour, Colour, Colour], rest: Omit<Hour, 'sky'>): Hour => ({
  sky,
  ...rest,
});
const k = colour;

const DAWN: readonly [Hour, ...Hour[]] = [
  hour([k(0.52, 0.075, 262), k(0.68, 0.075, 290), k(0.82, 0.085, 20), k(0.9, 0.09, 68)], {
    glow: k(0.94, 0.09, 75),
    disc: k(0.98, 0.05, 88),
    light: k(0.88, 0.1, 62),
    ambient: k(0.5, 0.07, 285),
    haze: k(0.82, 0.055, 25),
    dark: k(0.25, 0.045, 285),
    exposure: 0.62,
  }),
  hour([k(0.6, 0.07, 235), k(0.74, 0.06, 222), k(0.86, 0.055, 95), k(0.92, 0.085, 80)], {
    glow: k(0.95, 0.09, 85),
    disc: k(0.99, 0.04, 92),
    light: k(0.9, 0.09, 80),
    ambient: k(0.55, 0.06, 235),
    haze: k(0.85, 0.04, 195),
    dark: k(0.27, 0.04, 240),
    exposure: 0.66,
  }),
];

const DAY: readonly [Hour, ...Hour[]] = [
  hour([k(0.58, 0.115, 252), k(0.69, 0.1, 244), k(0.82, 0.06, 232), k(0.925, 0.025, 215)], {
    glow: k(0.98, 0.03, 95),
    disc: k(1, 0.01, 95),
    light: k(0.96, 0.05, 92),
    ambient: k(0.56, 0.07, 255),
    haze: k(0.85, 0.04, 235),
    dark: k(0.3, 0.05, 200),
    exposure: 0.82,
  }),
  hour([k(0.62, 0.1, 232), k(0.74, 0.085, 222), k(0.86, 0.05, 205), k(0.94, 0.03, 110)], {
    glow: k(0.98, 0.04, 95),
    disc: k(1, 0.02, 95),
    light: k(0.96, 0.06, 88),
    ambient: k(0.58, 0.06, 235),
    haze: k(0.88, 0.035, 205),
    dark: k(0.31, 0.05, 165),
    exposure: 0.84,
  }),
];

const GOLDEN: readonly [Hour, ...Hour[]] = [
  hour([k(0.6, 0.075, 238), k(0.73, 0.055, 222), k(0.86, 0.075, 88), k(0.91, 0.11, 80)], {
    glow: k(0.96, 0.11, 85),
    disc: k(0.99, 0.06, 92),
    light: k(0.91, 0.12, 78),
    ambient: k(0.5, 0.06, 262),
    haze: k(0.84, 0.075, 76),
    dark: k(0.28, 0.045, 60),
    exposure: 0.72,
  }),
];

const SUNSET: readonly [Hour, ...Hour[]] = [
  hour([k(0.37, 0.1, 278), k(0.54, 0.13, 335), k(0.7, 0.155, 32), k(0.85, 0.14, 72)], {
    glow: k(0.92, 0.13, 78),
    disc: k(0.98, 0.08, 88),
    light: k(0.83, 0.14, 55),
    ambient: k(0.4, 0.08, 300),
    haze: k(0.7, 0.115, 25),
    dark: k(0.2, 0.055, 300),
    exposure: 0.5,
  }),
  hour([k(0.4, 0.075, 235), k(0.6, 0.065, 220), k(0.8, 0.085, 82), k(0.83, 0.145, 60)], {
    glow: k(0.93, 0.12, 80),
    disc: k(0.99, 0.06, 92),
    light: k(0.86, 0.13, 65),
    ambient: k(0.42, 0.06, 245),
    haze: k(0.74, 0.09, 58),
    dark: k(0.2, 0.045, 250),
    exposure: 0.52,
  }),
  hour([k(0.44, 0.13, 292), k(0.6, 0.15, 340), k(0.75, 0.14, 12), k(0.88, 0.09, 50)], {
    glow: k(0.94, 0.08, 60),
    disc: k(0.99, 0.04, 80),
    light: k(0.85, 0.12, 30),
    ambient: k(0.44, 0.1, 300),
    haze: k(0.74, 0.11, 350),
    dark: k(0.22, 0.07, 305),
    exposure: 0.52,
  }),
];

const DUSK: readonly [Hour, ...Hour[]] = [
  hour([k(0.25, 0.085, 274), k(0.38, 0.11, 290), k(0.55, 0.125, 330), k(0.73, 0.12, 30)], {
    glow: k(0.8, 0.12, 45),
    disc: k(0.96, 0.04, 80),
    light: k(0.68, 0.1, 350),
    ambient: k(0.34, 0.08, 282),
    haze: k(0.53, 0.1, 318),
    dark: k(0.15, 0.05, 285),
    exposure: 0.4,
  }),
  hour([k(0.24, 0.07, 250), k(0.39, 0.085, 240), k(0.6, 0.07, 225), k(0.8, 0.09, 75)], {
    glow: k(0.86, 0.1, 72),
    disc: k(0.96, 0.05, 85),
    light: k(0.7, 0.08, 70),
    ambient: k(0.35, 0.06, 248),
    haze: k(0.56, 0.06, 232),
    dark: k(0.16, 0.04, 252),
    exposure: 0.4,
  }),
];

const NIGHT: readonly [Hour, ...Hour[]] = [
  hour([k(0.13, 0.045, 270), k(0.2, 0.065, 266), k(0.3, 0.075, 258), k(0.43, 0.075, 242)], {
    glow: k(0.75, 0.055, 235),
    disc: k(0.96, 0.025, 95),
    light: k(0.58, 0.06, 240),
    ambient: k(0.22, 0.06, 268),
    haze: k(0.37, 0.065, 252),
    dark: k(0.1, 0.03, 268),
    exposure: 0.3,
  }),
  hour([k(0.14, 0.055, 290), k(0.22, 0.085, 284), k(0.33, 0.09, 270), k(0.46, 0.075, 230)], {
    glow: k(0.76, 0.06, 220),
    disc: k(0.97, 0.03, 90),
    light: k(0.58, 0.07, 225),
    ambient: k(0.23, 0.075, 284),
    haze: k(0.39, 0.075, 258),
    dark: k(0.11, 0.04, 284),
    exposure: 0.3,
  }),
  hour([k(0.14, 0.035, 235), k(0.22, 0.055, 225), k(0.33, 0.065, 208), k(0.48, 0.065, 190)], {
    glow: k(0.8, 0.05, 185),
    disc: k(0.97, 0.03, 100),
    light: k(0.6, 0.06, 195),
    ambient: k(0.24, 0.05, 230),
    haze: k(0.4, 0.06, 205),
    dark: k(0.11, 0.03, 232),
    exposure: 0.3,
  }),
];

export const HOURS: Readonly<Record<TimeOfDay, readonly [Hour, ...Hour[]]>> = {
  dawn: DAWN,
  day: DAY,
  golden: GOLDEN,
  sunset: SUNSET,
  dusk: DUSK,
  night: NIGHT,
};
