import { type Binding, type JsonValue, mediaSources } from '@renderkit/engine-kit/route.ts';
import { sourcesOfText } from '@renderkit/engine-kit/fill-text.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { TargetSpec } from '@renderkit/engine-kit/target-spec.ts';
import { textOf, transformValue, UntransformableValue } from '@renderkit/engine-kit/transform-value.ts';
import { offeredSources, type OfferedSource } from './offered-sources.ts';
import type { RouteCheck } from './check-context.ts';

type Offered = ReadonlyMap<string, OfferedSource>;

/** A value that a target can get from a request or from the manifest itself. */
export type BroughtValue = {
  /** `undefined` where the manifest fixes the value. */
  source: string | undefined;
  value: JsonValue;
} & ({ result: JsonValue } | { error: string });

/**
 * Sources whose numbers are sizes and lengths. The engine rounds a value between two steps of an input to another size.
 */
const stepped: readonly (string | undefined)[] = ['width', 'height', 'duration_seconds'];

/**
 * Compares every value that requests can set on a route with what a backend accepts there. This includes defaults and
 * the ends of ranges. `withSteps`: also reports sizes and lengths between the steps of an input, which do not stop the
 * job. `checkRouteOn` in `studio/src/backends/check-routes.ts` decides which problems close a route there.
 */
export function checkMachine(check: RouteCheck, { withSteps }: { withSteps: boolean }): void {
  const { route, manifest, shapes, machine, add } = check;
  const specs = machine?.targetsOf(route);
  if (machine === undefined || specs === undefined) return;
  const offered: Offered = offeredSources(manifest, route, shapes);
  for (const [target, binding] of Object.entries(route.set)) {
    const spec = specs.get(target);
    if (spec === undefined) continue;
    const told = new Set<string | undefined>();
    for (const brought of broughtValues(binding, offered)) {
      if ('error' in brought || told.has(brought.source)) continue;
      const wrong = misfitOf(brought, spec, withSteps);
      if (wrong === undefined) continue;
      told.add(brought.source);
      const { code, why } = wrong;
      add(code, ['set', target], `${target}: ${whatComes(brought, offered)}, and ${machine.backend} ${why}.`);
    }
  }
}

/** Yields every value that a target can get, after its binding; nothing for media and texts. */
export function* broughtValues(binding: Binding, offered: Offered): Iterable<BroughtValue> {
  const { value, text, map } = binding;
  const sources = sourcesOf(binding);
  if (text !== undefined || sources.some(isMedium)) return;
  if (value !== undefined) {
    yield bring(undefined, value, binding);
    return;
  }
  for (const source of sources) {
    const { choices = [], ends = [] } = offered.get(source) ?? {};
    for (const one of [...choices, ...ends])
      if (map === undefined || Object.hasOwn(map, textOf(one))) yield bring(source, one, binding);
  }
}

/** Returns the sources that a binding uses. */
export function sourcesOf({ from, text }: Binding): string[] {
  return [...(from === undefined ? [] : [from].flat()), ...(text === undefined ? [] : sourcesOfText(text))];
}

export const isMedium = (source: string): boolean => mediaSources.some((medium) => medium === source);

function bring(source: string | undefined, value: JsonValue, binding: Binding): BroughtValue {
  try {
    return { source, value, result: transformValue(value, binding) };
  } catch (error) {
    if (!(error instanceof UntransformableValue)) throw error;
    return { source, value, error: error.message };
  }
}

type Misfit = { code: Problem['code']; why: string };

/** Returns why a backend does not accept a value at its target. The text follows the backend's name. */
function misfitOf(
  { source, result }: Extract<BroughtValue, { result: JsonValue }>,
  spec: TargetSpec,
  withSteps: boolean,
): Misfit | undefined {
  const { type, min, max, step, choices, isChoice, files } = spec;
  if (files !== undefined && !files.has(result)) {
    const folder = files.folder === undefined ? '' : ` in ${files.folder}`;
    return { code: 'file_missing', why: `lacks ${textOf(result)}${folder}` };
  }
  if (choices !== undefined && !(isChoice?.(result) ?? choices.includes(result)))
    return { code: 'choice_unknown', why: `has no such choice there: ${listed(choices)}` };
  const wanted = wrongType(result, type);
  if (wanted !== undefined) return { code: 'type_mismatch', why: `wants ${wanted}` };
  if ((type !== 'int' && type !== 'float') || typeof result !== 'number') return undefined;
  if ((min !== undefined && result < min) || (max !== undefined && result > max))
    return { code: 'binding_range', why: `takes ${rangeOf(min, max)} there` };
  const isBetween = step !== undefined && type === 'int' && !isOnStep(result, step, min);
  return withSteps && isBetween && stepped.includes(source)
    ? { code: 'binding_range', why: `takes steps of ${step} there` }
    : undefined;
}

function wrongType(value: JsonValue, type: TargetSpec['type']): string | undefined {
  if (type === 'int' || type === 'float') {
    if (typeof value !== 'number') return 'a number';
    if (type === 'int' && !Number.isInteger(value)) return 'a whole number; say "as: int" or "round"';
  }
  if (type === 'bool' && typeof value !== 'boolean') return 'true or false; say "as: bool"';
  if (type === 'string' && typeof value !== 'string') return 'a text; say "as: string"';
  return undefined;
}

/**
 * Returns whether a value is on a step. Lengths count from their minimum (1, 5, 9), sides of images from zero, whatever
 * their minimum is.
 */
function isOnStep(value: number, step: number, min = 0): boolean {
  return step <= 0 || value % step === 0 || (value - min) % step === 0;
}

function rangeOf(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `${max} or less`;
  return max === undefined ? `${min} or more` : `${min} to ${max}`;
}

const maxListed = 12;

function listed(choices: readonly JsonValue[]): string {
  const more = choices.length > maxListed ? `, and ${choices.length - maxListed} more` : '';
  return `it has ${choices.slice(0, maxListed).map(textOf).join(', ')}${more}`;
}

/** Returns which value can come, and what its binding makes of it: `cfg can be 1 to 200`. */
function whatComes(
  { source, value, result }: Extract<BroughtValue, { result: JsonValue }>,
  offered: Offered,
): string {
  const made = result === value ? '' : `, ${textOf(value)} becomes ${textOf(result)}`;
  if (source === undefined) return `it is set to ${textOf(value)}${made}`;
  const name = source.startsWith('options.') ? `the option ${source.slice('options.'.length)}` : source;
  return `${name} can be ${rangeText(offered.get(source)) ?? textOf(value)}${made}`;
}

function rangeText(
  { choices, ends = [], isRange = false }: OfferedSource = { required: false },
): string | undefined {
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  return choices !== undefined || !isRange || low === high ? undefined : `${low} to ${high}`;
}
