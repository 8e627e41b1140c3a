import { mix, shade, type Colour } from './colour.ts';
import type { Noise } from './noise.ts';
import type { Random } from './random.ts';
import type { Field } from './raster.ts';
import type { Scene } from './scene.ts';

/** The data from which a print is made. */
export interface Print {
  readonly scene: Scene;
  readonly skyline: Float32Array | null;
  /** Lightness of the view, stretched to 0–1 and slightly softened. */
  readonly tone: Field;
  /** The same without small details. Inks are cut along this field, and lines run along it. */
  readonly smooth: Field;
  readonly noise: Noise;
  readonly random: Random;
  readonly inks: Inks;
}

export interface Inks {
  readonly paper: Colour;
  /** From light to dark: one set for the sky and one for the area below it. */
  readonly sky: readonly Colour[];
  readonly land: readonly Colour[];
  readonly line: Colour;
  /** True if the sheet is dark and the lines are light. */
  readonly reversed: boolean;
}

export function mixInks(scene: Scene): Inks {
  const { palette } = scene;
  const [zenith, high, low, horizon] = palette.sky;
  if (palette.exposure < 0.36) {
    const sky = [
      { ...mix(palette.glow, horizon, 0.35), l: 0.66 },
      { ...mix(horizon, palette.accent, 0.12), l: 0.46 },
      { ...low, l: 0.33 },
      { ...high, l: 0.24 },
      shade(mix(zenith, palette.dark, 0.3), 1.05),
    ];
    return {
      paper: mix(zenith, palette.dark, 0.35),
      sky,
      land: sky.map((ink) => mix(ink, { ...palette.foliage, l: ink.l * 0.9 }, 0.25)),
      line: mix(palette.disc, palette.glow, 0.25),
      reversed: true,
    };
  }
  const paper = mix(palette.paper, palette.glow, 0.18);
  const land = scene.land === 'dunes' || scene.land === 'canyon' ? palette.sand : palette.foliage;
  return {
    paper,
    sky: [paper, mix(paper, horizon, 0.7), mix(horizon, low, 0.55), low, mix(low, high, 0.7)],
    land: [
      mix(paper, palette.haze, 0.45),
      { ...mix(palette.haze, land, 0.35), l: 0.72 },
      { ...mix(land, palette.ambient, 0.35), l: 0.56 },
      { ...mix(land, palette.ambient, 0.7), l: 0.42 },
      { ...mix(palette.ambient, palette.dark, 0.5), l: 0.32 },
    ],
    line: mix(palette.ink, palette.dark, 0.4),
    reversed: false,
  };
}
