import { readFile } from 'node:fs/promises';
import type { EngineFailureOptions, EngineJob, Prepared, PreparedMedia } from './driver.ts';
import { withValueAt } from './json-pointer.ts';
import type { JsonObject, JsonValue, Route } from './route.ts';

/**
 * A call of a route without `nodes`: its body without media, and the targets of the media. The call is JSON of a few
 * kilobytes, because it contains the paths of media files, not their bytes.
 */
export interface Call {
  readonly body: JsonObject;
  readonly media: readonly {
    readonly target: string;
    readonly several: boolean;
    readonly files: readonly PreparedMedia[];
  }[];
  /** Pointers to values that come from the request. */
  readonly asked: readonly string[];
  /** Pointers to values that are unique to this call. */
  readonly unique: readonly string[];
}

/** Returns the body of the route with the job's values at their pointers. The same job always gives the same call. */
export function prepareCall({ route, values, uniqueTargets = [] }: EngineJob): Call {
  let body = route.body ?? {};
  const media: Call['media'][number][] = [];
  for (const bound of values) {
    const { target } = bound;
    if (bound.kind === 'plain') body = withValueAt(body, target, bound.value);
    else if (bound.kind === 'remove') body = withValueAt(body, target, undefined);
    else media.push({ target, several: bound.several, files: bound.media });
  }
  return { body, media, asked: askedTargets(route), unique: uniqueTargets };
}

/** Returns the targets of a route whose value comes from the request. */
export function askedTargets({ set }: Route): string[] {
  return Object.keys(set).filter((target) => set[target]?.value === undefined);
}

/** Returns a call as a driver's own `Prepared`. */
export function toPrepared(call: Call): Prepared {
  return call as unknown as Prepared;
}

/** Returns the call that was passed to `toPrepared`, in this or in another process. */
export function fromPrepared(prepared: Prepared): Call {
  return prepared as unknown as Call;
}

/** Returns the whole body, with each medium as the text that `textOf` returns. */
export async function bodyWithMedia(
  { body, media }: Call,
  textOf: (file: PreparedMedia) => Promise<string>,
): Promise<JsonObject> {
  let whole = body;
  for (const { target, several, files } of media) {
    const texts = await Promise.all(files.map(textOf));
    whole = withValueAt(whole, target, several ? texts : texts[0]);
  }
  return whole;
}

/** Returns a file as a data URI (RFC 2397). */
export async function dataUriOf({ path, contentType }: PreparedMedia): Promise<string> {
  return `data:${contentType};base64,${await readFile(path, 'base64')}`;
}

/**
 * Returns the blame for a refused value: `render` where the user chose the value, `pair` where the route fixes it.
 * Blames the render too where the answer does not name the field.
 */
export function blameOfField(
  { asked }: Pick<Call, 'asked'>,
  pointer: string | null,
): Pick<EngineFailureOptions, 'blame' | 'code' | 'target'> {
  if (pointer === null) return { blame: 'render', code: 'invalid_request' };
  const target = asked.find(
    (one) => one === pointer || one.startsWith(`${pointer}/`) || pointer.startsWith(`${one}/`),
  );
  if (target === undefined) return { blame: 'pair', code: 'invalid_request' };
  return { blame: 'render', code: 'invalid_request', target };
}

/**
 * Returns the location of a validation error, such as `['body', 'image_size', 0]`, as a pointer into the body; `null`
 * where it names no field.
 */
export function pointerOf(location: JsonValue | undefined, prefix: readonly string[]): string | null {
  if (!Array.isArray(location)) return null;
  const steps = (location as JsonValue[]).map(String);
  const own = prefix.every((step, index) => steps[index] === step) ? steps.slice(prefix.length) : steps;
  if (own.length === 0) return null;
  return own.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
