import type { Finding } from './finding.ts';
import { choicesOf, type InputSpec, numberOption } from './object-info.ts';

/** A value in a manifest, as written in YAML or JSON. */
export type ManifestValue =
  | null
  | boolean
  | number
  | string
  | readonly ManifestValue[]
  | { readonly [key: string]: ManifestValue };

export type Fields = Record<string, ManifestValue>;

export interface ProposedOption {
  readonly key: string;
  /** The option, as in the manifest's `parameters.options`. */
  readonly parameter: { readonly [key: string]: ManifestValue };
  readonly binding: { readonly [key: string]: ManifestValue };
}

const maxTextLength = 1000;
/** More choices than a person would read through. */
const maxChoices = 50;

/**
 * Proposes an option for an input that its author has marked: a list, a switch, a slider or a text, depending on the
 * input's type. Returns undefined if the type allows none of these. `taken` are the keys of other options.
 * `apply-marks.ts` and `propose-manifest.ts` decide which inputs become options.
 */
export function proposeOption(
  spec: InputSpec,
  found: Finding,
  taken: readonly string[],
): ProposedOption | undefined {
  const name = found.label ?? found.input;
  const key = freeKey(name, taken);
  const from = `options.${key}`;
  switch (spec.type) {
    case 'BOOLEAN':
      return {
        key,
        parameter: { key, name, type: 'toggle', default: found.value === true ? 1 : 0 },
        binding: { from, as: 'bool' },
      };
    case 'INT':
    case 'FLOAT':
      return {
        key,
        parameter: { key, name, type: 'slider', ...rangeOf(spec, Number(found.value)) },
        binding: { from, as: spec.type === 'INT' ? 'int' : 'float' },
      };
    case 'STRING':
      return {
        key,
        parameter: {
          key,
          name,
          type: 'text',
          max_length: maxTextLength,
          default: textOf(found.value),
        },
        binding: { from },
      };
    case 'COMBO':
      return proposeSelect(spec, found, { key, name, from });
    default:
      return undefined;
  }
}

function proposeSelect(
  spec: InputSpec,
  { value }: Finding,
  { key, name, from }: { key: string; name: string; from: string },
): ProposedOption | undefined {
  const choices = (choicesOf(spec) ?? []).filter((choice) => typeof choice === 'string').slice(0, maxChoices);
  if (choices.length === 0 || typeof value !== 'string') return undefined;
  const offered = choices.includes(value) ? choices : [value, ...choices];
  return {
    key,
    parameter: {
      key,
      name,
      type: 'select',
      values: offered.map((choice) => ({ value: choice, label: choice })),
      default: value,
    },
    binding: { from },
  };
}

function textOf(value: Finding['value']): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the input's own range if a slider can show it, else a range around the author's value. */
function rangeOf(
  spec: InputSpec,
  value: number,
): { min: number; max: number; step: number; default: number } {
  const widest = 1000;
  const min = numberOption(spec, 'min') ?? 0;
  const max = numberOption(spec, 'max') ?? widest;
  const step = numberOption(spec, 'step') ?? (spec.type === 'INT' ? 1 : 0.01);
  if (max - min <= widest) return { min, max, step, default: value };
  return {
    min: Math.max(min, Math.min(0, value * 2)),
    max: Math.min(max, Math.max(10, value * 2)),
    step,
    default: value,
  };
}

function freeKey(name: string, taken: readonly string[]): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const key = words === '' || words === 'seed' ? 'option' : words.slice(0, 40);
  if (!taken.includes(key)) return key;
  return freeKey(`${key}_${taken.length + 1}`, taken);
}
