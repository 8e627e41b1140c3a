import { optionValue, pairsOf } from '../amounts.ts';
import { UsageError } from '../cli-error.ts';
import { referenceOf, referenceText } from '../inputs.ts';
import type { Option, Values } from '../options.ts';
import type { Session } from '../session.ts';
import { type CreateKind, createKinds, type RequestBody } from './kinds.ts';

/** Options for the request of every create. */
export const bodyOptions = {
  model: { short: 'm', form: 'ID', about: 'the model; the default of its kind when left out' },
  ratio: { short: 'r', form: 'RATIO', about: 'aspect ratio, as 16:9' },
  ref: { form: '@FILE|ID', about: 'a picture to go by', multiple: true },
  style: { form: 'ID', about: 'a style', multiple: true },
  suggestion: { form: 'ID', about: 'a building block of the prompt', multiple: true },
  option: { short: 'O', form: 'KEY=VALUE', about: 'an option of the model', multiple: true },
  cfg: { form: 'N', about: 'how closely the prompt is followed' },
  project: { form: 'ID', about: 'where the outputs go' },
  meta: { form: 'KEY=VALUE', about: 'a note of yours, given back with the generation', multiple: true },
  from: { form: 'gen_…', about: 'the settings of a generation; what is given besides goes before them' },
} as const satisfies Record<string, Option>;

type BodyValues = Values<typeof bodyOptions>;

/** Converts a typed reference into the value for a request. */
export type ReadReference = (given: string) => Promise<string | File>;

/**
 * Returns a reader of references. It opens files to upload them. For a request that is only printed, it leaves `@path`.
 */
export function referenceReader(session: Session, isWrittenDown: boolean): ReadReference {
  return (given) => (isWrittenDown ? referenceText(session, given) : referenceOf(session, given));
}

/** Returns the fields that all creates share. @throws UsageError */
export async function sharedBody(values: BodyValues, read: ReadReference): Promise<RequestBody> {
  const options = Object.entries(pairsOf(values.option ?? [], 'option'));
  return {
    model: values.model,
    aspect_ratio: values.ratio,
    reference_images: await readAll(values.ref, read),
    styles: values.style,
    suggestions: values.suggestion,
    cfg: amountOf(values.cfg, 'cfg'),
    project_id: values.project,
    ...(options.length > 0 && {
      options: Object.fromEntries(options.map(([key, value]) => [key, optionValue(value)])),
    }),
    ...(values.meta !== undefined && { metadata: pairsOf(values.meta, 'meta') }),
  };
}

export function readAll(given: readonly string[] | undefined, read: ReadReference) {
  return given === undefined ? undefined : Promise.all(given.map(read));
}

/** @throws UsageError */
export function amountOf(text: string | undefined, name: string): number | undefined {
  const value = text === undefined ? undefined : optionValue(text);
  if (value !== undefined && typeof value !== 'number')
    throw new UsageError(`--${name} is a number, not ${text}.`);
  return value;
}

/**
 * Returns the given fields merged over those of the generation of `--from`, without that generation's metadata.
 *
 * @throws UsageError when the earlier generation was another kind of create, or its texts were erased
 */
export async function completeBody(
  { client }: Session,
  kind: CreateKind,
  from: string | undefined,
  given: RequestBody,
): Promise<RequestBody> {
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (from === undefined) return own;
  const earlier = await client.generations.request(from);
  if (earlier.body === null) throw new UsageError(`The texts of ${from} were erased.`);
  if (earlier.path !== createKinds[kind].path) {
    const right = Object.values(createKinds).find(({ path }) => path === earlier.path)?.command;
    throw new UsageError(`${from} was made by \`renderkit ${right}\`: use its settings there.`);
  }
  const { metadata: _notes, options, ...settings } = earlier.body;
  const merged = { ...(options as object | undefined), ...(own['options'] as object | undefined) };
  return { ...settings, ...own, ...(Object.keys(merged).length > 0 && { options: merged }) };
}
