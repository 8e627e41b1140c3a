import { readFile } from 'node:fs/promises';
import type { EngineFailureOptions, EngineJob, Prepared, PreparedMedia } from './driver.ts';
import { withValueAt } from './json-pointer.ts';
import type { JsonObject, JsonValue, Route } from './route.ts';

/**
 * A call of a route without `nodes`: its body, in which media are still missing, and where they go. It is JSON and of a few
 * kilobytes: media are named by the files that hold them.
 */
export interface Call {
  readonly body: JsonObject;
  readonly media: readonly {
    readonly target: string;
    readonly several: boolean;
    readonly files: readonly PreparedMedia[];
  }[];
  /** Pointers whose values come from the request. */
  readonly asked: readonly string[];
  /** Pointers whose values no other call has. */
  readonly unique: readonly string[];
}

/** The body of the route with the job's values at their pointers. The same job gives the same call. */
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

/** Targets of a route whose value comes from the request. */
export function askedTargets({ set }: Route): string[] {
  return Object.keys(set).filter((target) => set[target]?.value === undefined);
}

/** A call as a driver's own `Prepared`. */
export function toPrepared(call: Call): Prepared {
  return call as unknown as Prepared;
}

/** The call that `toPrepared` was given, in this or in another process. */
export function fromPrepared(prepared: Prepared): Call {
  return prepared as unknown as Call;
}

/** The whole body: media as `textOf` gives them. */
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

/** A file as a data URI (RFC 2397). */
export async function dataUriOf({ path, contentType }: PreparedMedia): Promise<string> {
  return `data:${contentType};base64,${await readFile(path, 'base64')}`;
}

/**
 * Whom a refused value is blamed on: the render where the user chose it, the pair where the route fixes it, the render
 * too where nobody says which it is.
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

/** `['body', 'image_size', 0]` of a validation error as a pointer into the body; null where it names no field. */
export function pointerOf(location: JsonValue | undefined, prefix: readonly string[]): string | null {
  if (!Array.isArray(location)) return null;
  const steps = (location as JsonValue[]).map(String);
  const own = prefix.every((step, index) => steps[index] === step) ? steps.slice(prefix.length) : steps;
  if (own.length === 0) return null;
  return own.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
