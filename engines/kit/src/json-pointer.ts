import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from './route.ts';

type Container = Record<string, JsonValue>;

/**
 * Returns the steps of a pointer (RFC 6901); none for an empty pointer, which means the whole document.
 * @throws RangeError where the pointer does not begin with `/`
 */
export function pointerSteps(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new RangeError(`"${pointer}" is no JSON pointer: it begins with /.`);
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Returns a copy of a document with one value set, or with its key removed where `value` is `undefined`. Creates
 * missing objects and lists on the way. A number is a list index where there is a list, or nothing yet.
 */
export function withValueAt(document: JsonObject, pointer: string, value: JsonValue | undefined): JsonObject {
  return setIn(document, pointerSteps(pointer), value) as JsonObject;
}

function setIn(
  node: JsonValue | undefined,
  steps: readonly string[],
  value: JsonValue | undefined,
): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) return value ?? null;
  const isIndex = /^(?:0|[1-9]\d{0,3})$/.test(step);
  if (Array.isArray(node) || (node === undefined && isIndex)) {
    const list = [...((node as readonly JsonValue[] | undefined) ?? [])];
    const index = isIndex ? Number(step) : list.length;
    if (rest.length === 0 && value === undefined) return list.toSpliced(index, 1);
    list[index] = setIn(list[index], rest, value);
    return list;
  }
  const object: Container = typeof node === 'object' && node !== null ? { ...(node as Container) } : {};
  if (rest.length === 0 && value === undefined) {
    delete object[step];
    return object;
  }
  Object.defineProperty(object, step, {
    value: setIn(Object.hasOwn(object, step) ? object[step] : undefined, rest, value),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return object;
}

/**
 * Returns the values that a pattern matches, in order. A pattern is a pointer in which `*` means each item of a list. A
 * single value counts as a list of one, because some models return one value instead of a list.
 */
export function valuesAt(document: JsonValue | undefined, pattern: string): JsonValue[] {
  let found: (JsonValue | undefined)[] = [document];
  for (const step of pointerSteps(pattern)) {
    found = found.flatMap((node) => {
      if (step === '*') return Array.isArray(node) ? (node as JsonValue[]) : [node];
      if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return [];
      return [(node as Container)[step]];
    });
  }
  return found.filter((value) => value !== undefined && value !== null);
}

/**
 * Returns whether a body that an engine returns is the body that it was sent. Each key of `sent` must have the same
 * value, except at the pointers in `except`. Further keys are ignored, because engines add defaults.
 */
export function isBodyOf(
  shown: JsonValue | undefined,
  sent: JsonObject,
  except: readonly string[] = [],
): boolean {
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) return false;
  const bare = (body: JsonObject) =>
    except.reduce<JsonObject>((left, pointer) => withValueAt(left, pointer, null), body);
  const [found, wanted] = [bare(shown as JsonObject), bare(sent)];
  return Object.keys(wanted).every((key) => isDeepStrictEqual(found[key], wanted[key]));
}
