import type { Parameters } from '@renderkit/engine-kit/engine.ts';
import { clamp, type Colour } from './colour.ts';
import { wordsOf } from './prompt-mood.ts';

export const BRUSHES = ['smooth', 'brush', 'knife', 'stipple'] as const;
export type Brush = (typeof BRUSHES)[number];

export const PALETTE_OPTIONS = ['natural', 'vivid', 'pastel', 'mono'] as const;
export type PaletteOption = (typeof PALETTE_OPTIONS)[number];

/**
 * The parameters of the request, as painters use them. The ranges and defaults that users see are in the manifests of
 * `studio/models/`.
 */
export interface Look {
  /** 0–1, 0.5 at the default cfg of 7: how far the words bend palette and contrast. */
  readonly obedience: number;
  /** About 0.3–2, 1 at the default weight: thickness of strokes, depth of contrast. */
  readonly weight: number;
  /** 0–1, about 0.6 by default: how fine the drawing is. */
  readonly detail: number;
  readonly brush: Brush;
  readonly palette: PaletteOption;
  readonly grain: boolean;
  /** Dominant colours of the reference pictures, strongest first. */
  readonly references: readonly Colour[];
  readonly baseModel: 'soft' | 'bold';
}

const DEFAULT_CFG = 7;
const DEFAULT_DETAIL = 6;
/** Amount that the option `finish: fine` adds to the detail. */
const FINER = 0.3;

export function readLook(parameters: Parameters, references: readonly Colour[]): Look {
  const { options = {}, settings = {} } = parameters;
  const cfg = Math.max(0, settings['cfg'] ?? DEFAULT_CFG);
  const asked = clamp((Number(options['detail'] ?? DEFAULT_DETAIL) - 1) / 9 || 0);
  const detail = options['finish'] === 'fine' ? Math.min(1, asked + FINER) : asked;
  const clipSkip = Math.max(1, settings['clip_skip'] ?? 1);
  return {
    obedience: cfg / (cfg + DEFAULT_CFG),
    weight: clamp(settings['weight'] ?? 1, 0.3, 2),
    detail: detail * 0.85 ** (clipSkip - 1),
    brush: readBrush(parameters.sampler),
    palette: oneOf(PALETTE_OPTIONS, String(options['palette'] ?? '')) ?? 'natural',
    grain: readToggle(options['grain']),
    references,
    baseModel: wordsOf(parameters.baseModel ?? '').includes('bold') ? 'bold' : 'soft',
  };
}

/** Returns the brush for a sampler. An unknown sampler gets a fixed brush that depends on its name. */
function readBrush(sampler: string | undefined): Brush {
  if (sampler === undefined || sampler === '') return 'brush';
  const known = oneOf(BRUSHES, sampler.toLowerCase());
  if (known) return known;
  const sum = [...sampler].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return BRUSHES[sum % BRUSHES.length] ?? 'brush';
}

/** Returns true unless grain was switched off. */
const readToggle = (value: string | number | boolean | undefined): boolean =>
  value === undefined || !(value === false || value === 0 || value === 'false' || value === '0');

const oneOf = <T extends string>(list: readonly T[], value: string): T | undefined =>
  list.find((item) => item === value);
