import { settingNames, settingFacts } from '@renderkit/contract/studio/kinds.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import type { RequestBody } from '../generations/kind-labels.ts';
import { fitNumber, sliderRange } from './fit-values.ts';
import { fieldsOf, type ModelOption, type NumberRange } from './form-fields.ts';
import type { OptionValue } from './form-values.ts';

/** A setting that a grid of runs can vary: a few values, or numbers of a range. */
export type Axis = {
  /** Path in the request: `aspect_ratio`, `options.detail`. */
  path: string;
  label: string;
  values: readonly { value: OptionValue; label: string }[];
  range?: NumberRange;
};

/** A setting and its values, one for each run. */
export type ChosenAxis = { axis: Axis; values: readonly OptionValue[] };

export type GridCell = { body: RequestBody; label: string };

/** The most runs of one grid. Each run is paid for. */
export const maxGridRuns = 16;

/** Returns the settings of a kind and model that a grid can vary. */
export function axesOf(kind: GenerationKind, model: Model): Axis[] {
  const { ratios, ranges, options, baseModels } = fieldsOf(kind, model);
  const axes: Axis[] = [
    {
      path: 'aspect_ratio',
      label: 'Aspect ratio',
      values: ratios.map(({ ratio }) => ({ value: ratio, label: ratio })),
    },
    {
      path: 'base_model',
      label: 'Base model',
      values: baseModels.flatMap((base) => base.options.map((value) => ({ value, label: value }))),
    },
    ...options.map(axisOfOption),
    ...settingNames.flatMap((path) => {
      const range = ranges[path];
      return range === undefined ? [] : [{ path, label: settingFacts[path].label, values: [], range }];
    }),
  ];
  return axes.filter(({ values, range }) => range !== undefined || values.length > 1);
}

function axisOfOption(option: ModelOption): Axis {
  const { key, name: label, type } = option;
  const path = `options.${key}`;
  if (type === 'slider') return { path, label, values: [], range: sliderRange(option) };
  if (type === 'toggle')
    return {
      path,
      label,
      values: [
        { value: true, label: 'on' },
        { value: false, label: 'off' },
      ],
    };
  return { path, label, values: option.values ?? [] };
}

/** Reads numbers from a text such as `3, 5 8`. Moves each number to the nearest valid step and removes duplicates. */
export function readNumbers(text: string, range: NumberRange): number[] {
  const numbers = text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .flatMap((part) => fitNumber(Number(part), range) ?? []);
  return [...new Set(numbers)];
}

/**
 * Returns a run for each pair of values, row by row, with a label for each. `withOneSeed` in `seed.ts` then gives all
 * runs the same seed.
 */
export function gridOf(body: RequestBody, [first, second]: readonly ChosenAxis[]): GridCell[] {
  if (first === undefined) return [{ body, label: '' }];
  const rows = cellsOf({ body, label: '' }, first);
  return second === undefined ? rows : rows.flatMap((cell) => cellsOf(cell, second));
}

function cellsOf(from: GridCell, { axis, values }: ChosenAxis): GridCell[] {
  return values.map((value) => {
    const named = axis.values.find((one) => one.value === value)?.label ?? String(value);
    const label = [from.label, `${axis.label} ${named}`].filter((part) => part !== '').join(' · ');
    return { body: withValue(from.body, axis.path, value), label };
  });
}

function withValue(body: RequestBody, path: string, value: OptionValue): RequestBody {
  const [, key] = /^options\.(.+)$/.exec(path) ?? [];
  if (key === undefined) return { ...body, [path]: value };
  return { ...body, options: { ...(body['options'] as object | undefined), [key]: value } };
}
