import type { Binding, JsonValue } from './route.ts';

/** The changes that a binding makes to a value; `transformValue` defines their order. */
export type Transform = Pick<
  Binding,
  'map' | 'bands' | 'scale' | 'frames' | 'times' | 'plus' | 'round' | 'multiple_of' | 'min' | 'max' | 'as'
>;

/** A binding cannot convert this value: a choice has no entry, or a number is expected. */
export class UntransformableValue extends Error {
  override readonly name = 'UntransformableValue';
}

/** Returns the value as its target receives it. @throws UntransformableValue */
export function transformValue(value: JsonValue, transform: Transform): JsonValue {
  let result = choose(value, transform);
  const { times, plus, round, multiple_of: multiple, min, max } = transform;
  if ([times, plus, round, multiple, min, max].some((step) => step !== undefined)) {
    let number = numberOf(result);
    if (times !== undefined) number *= times;
    if (plus !== undefined) number += plus;
    if (multiple !== undefined) number = rounders[round ?? 'nearest'](number / multiple) * multiple;
    else if (round !== undefined) number = rounders[round](number);
    if (min !== undefined) number = Math.max(min, number);
    if (max !== undefined) number = Math.min(max, number);
    result = number;
  }
  return transform.as === undefined ? result : converters[transform.as](result);
}

/** Applies `map`, `bands`, `scale` or `frames`; at most one of them is set. */
function choose(value: JsonValue, { map, bands, scale, frames }: Transform): JsonValue {
  if (map !== undefined) {
    const key = textOf(value);
    if (!Object.hasOwn(map, key)) throw new UntransformableValue(`There is no entry for "${key}".`);
    return map[key] as JsonValue;
  }
  if (bands !== undefined) {
    const number = numberOf(value);
    const band = bands.find(({ below }) => below === undefined || number < below);
    if (band === undefined) throw new UntransformableValue(`No band takes ${number}.`);
    return band.value;
  }
  if (scale !== undefined) {
    const [low, high] = scale.from;
    const [start, end] = scale.to;
    const share = high === low ? 0 : (numberOf(value) - low) / (high - low);
    return start + (end - start) * Math.min(1, Math.max(0, share));
  }
  if (frames !== undefined)
    return frames.step * Math.round((numberOf(value) * frames.fps) / frames.step) + frames.plus;
  return value;
}

const rounders = { nearest: Math.round, down: Math.floor, up: Math.ceil };

const converters: Record<NonNullable<Binding['as']>, (value: JsonValue) => JsonValue> = {
  int: (value) => Math.trunc(numberOf(value)),
  float: numberOf,
  string: textOf,
  bool: (value) => (typeof value === 'string' ? value === 'true' || value === '1' : Boolean(value)),
  json: (value) => JSON.stringify(value),
};

function numberOf(value: JsonValue): number {
  const number = typeof value === 'boolean' ? Number(value) : value;
  const parsed = typeof number === 'string' && number.trim() !== '' ? Number(number) : number;
  if (typeof parsed !== 'number' || !Number.isFinite(parsed))
    throw new UntransformableValue(`${JSON.stringify(value)} is no number.`);
  return parsed;
}

/** Returns a value as text; list items are joined by commas. */
export function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
