import type { ModelOption, StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import { maxProblemErrors } from '@renderkit/contract/v1/limits.ts';
import { ApiProblem, type FieldError } from '../problems/api-problem.ts';
import { listed } from '../validation/nearest-names.ts';
import type { CatalogIndex, IndexedModel } from './catalog-index.ts';
import {
  describeUnknownOption,
  describeUnknownStyle,
  describeUnknownSuggestion,
} from './nearest-in-catalog.ts';

/** Gathers what is wrong with a request, all fields at once. */
export type Faults = { list: FieldError[]; add: (field: string, message: string) => void };

export function createFaults(): Faults {
  const list: FieldError[] = [];
  return {
    list,
    add: (field, message) => {
      if (list.length < maxProblemErrors) list.push({ field, message });
    },
  };
}

/** The refusal that the faults amount to. */
export function invalid({ list }: Faults): ApiProblem {
  return new ApiProblem('invalid_request', { errors: list });
}

export type OptionValue = string | number | boolean;
type Range = NonNullable<StudioModel['parameters']['cfg']>;

/** A number against the range that the model lists; its default where none was sent. */
export function judgeRange(
  faults: Faults,
  field: string,
  value: number | undefined,
  range: Range | null,
): number | undefined {
  if (range === null) {
    if (value !== undefined) faults.add(field, 'is not a setting of this model');
    return undefined;
  }
  if (value === undefined) return range.default;
  const complaint = complaintOfNumber(value, range);
  if (complaint !== undefined) faults.add(field, complaint);
  return value;
}

function complaintOfNumber(
  value: number,
  {
    min = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
    step = 0,
  }: { min?: number; max?: number; step?: number },
): string | undefined {
  if (value < min || value > max) return `must be from ${min} to ${max}`;
  if (step > 0 && Number.isFinite(min) && !isOnStep(value, min, step))
    return `must go in steps of ${step} from ${min}`;
  return undefined;
}

/** Whether steps of decimal fractions lead to the value: 0.3 + 7 × 0.1 is 1 here. */
function isOnStep(value: number, min: number, step: number): boolean {
  const steps = (value - min) / step;
  return Math.abs(steps - Math.round(steps)) <= 1e-12 * Math.max(1, Math.abs(steps));
}

/** Every option of the model with its value, the default where none was sent. `fieldOf` says where a key was sent. */
export function judgeOptions(
  faults: Faults,
  sent: Readonly<Record<string, OptionValue>> | undefined,
  indexed: IndexedModel,
  fieldOf = (key: string) => `options.${key}`,
): Record<string, OptionValue> {
  const given = new Map(Object.entries(sent ?? {}));
  for (const key of given.keys())
    if (!indexed.options.has(key)) faults.add(fieldOf(key), describeUnknownOption(key, indexed));
  return Object.fromEntries(
    [...indexed.options.values()].map((option) => {
      const value = given.get(option.key);
      if (value === undefined) return [option.key, defaultOf(option)];
      const judged = judgeOption(option, value);
      if (typeof judged === 'object') faults.add(fieldOf(option.key), judged.complaint);
      return [option.key, typeof judged === 'object' ? defaultOf(option) : judged];
    }),
  );
}

type Complaint = { complaint: string };

function judgeOption(option: ModelOption, value: OptionValue): OptionValue | Complaint {
  switch (option.type) {
    case 'select': {
      // A number and its text are the same choice; a truth value is none.
      const chosen = (option.values ?? []).find(
        (one) => typeof value !== 'boolean' && one.value === String(value),
      );
      const choices = listed(
        (option.values ?? []).map((one) => one.value),
        30,
      );
      return chosen?.value ?? { complaint: `must be one of ${choices}` };
    }
    case 'toggle':
      return truthOf(value) ?? { complaint: 'must be true or false' };
    case 'slider': {
      if (typeof value !== 'number') return { complaint: 'must be a number' };
      const complaint = complaintOfNumber(value, option);
      return complaint === undefined ? value : { complaint };
    }
  }
}

function defaultOf(option: ModelOption): OptionValue {
  return option.type === 'toggle' ? (truthOf(option.default) ?? false) : option.default;
}

/** The catalog writes a toggle's default as 0 or 1, so these and their words are as good as true and false. */
function truthOf(value: OptionValue): boolean | undefined {
  if (value === true || value === 1 || value === '1' || value === 'true') return true;
  if (value === false || value === 0 || value === '0' || value === 'false') return false;
  return undefined;
}

export function judgeStyles(
  faults: Faults,
  styles: readonly string[],
  type: 'image' | 'video',
  index: CatalogIndex,
): void {
  styles.forEach((id, i) => {
    const style = index.styles.get(id);
    if (style === undefined) faults.add(`styles[${i}]`, describeUnknownStyle(id, type, index));
    else if (style.type !== type) faults.add(`styles[${i}]`, `is a style for ${style.type}s`);
  });
}

export function judgeSuggestions(
  faults: Faults,
  suggestions: readonly string[],
  suite: 'image' | 'edit' | 'video' | 'extend',
  index: CatalogIndex,
): void {
  const taken = new Map<string, number>();
  suggestions.forEach((id, i) => {
    const suggestion = index.suggestions.get(id);
    if (suggestion === undefined)
      return faults.add(`suggestions[${i}]`, describeUnknownSuggestion(id, suite, index));
    if (!suggestion.suites.includes(suite))
      faults.add(`suggestions[${i}]`, `is for ${suggestion.suites.join(', ') || 'nothing here'}`);
    const category = suggestion.category_id ?? suggestion.category ?? `id ${id}`;
    const before = taken.get(category);
    if (before === undefined) taken.set(category, i);
    else faults.add(`suggestions[${i}]`, `is of the same category as suggestions[${before}]`);
  });
}

/** How long a library item's id may be; what is longer is nobody's. */
const maxLibraryIdCharacters = 200;

/** A reference, as it is once addresses have become uploads. Whether there is such an item, the studio knows. */
export function judgeReference(faults: Faults, field: string, reference: string): void {
  if (/^[a-z][a-z0-9+.-]*:/i.test(reference))
    faults.add(field, 'must be the id of an item in the library, of an upload, or an https address');
  else if (reference.length > maxLibraryIdCharacters)
    faults.add(field, 'there is no such item in the library');
}

/** A list of references, of which a model takes so many. */
export function judgeReferences(
  faults: Faults,
  field: string,
  references: readonly string[] = [],
  max = Number.POSITIVE_INFINITY,
): void {
  references.forEach((reference, i) => judgeReference(faults, `${field}[${i}]`, reference));
  if (references.length > max)
    faults.add(field, max === 0 ? 'is not taken by this model' : `this model takes ${max} at most`);
}

/** One reference that a model takes, must have, or does not take. */
export function judgeOneReference(
  faults: Faults,
  field: string,
  reference: string | undefined,
  { taken, required }: { taken: boolean; required: boolean },
): void {
  if (reference === undefined) {
    if (required) faults.add(field, 'is required by this model');
  } else {
    judgeReference(faults, field, reference);
    if (!taken) faults.add(field, 'is not taken by this model');
  }
}
