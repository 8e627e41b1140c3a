import { EngineFailure } from './driver.ts';
import { fillText, sourcesOfText } from './fill-text.ts';
import {
  type Binding,
  type JsonValue,
  type MediaSource,
  mediaSources,
  type ImageBinding,
  type PlainSource,
  type Route,
  type Source,
} from './route.ts';
import { textOf, transformValue, UntransformableValue } from './transform-value.ts';

/** The values that a job has for each source; absent where its request does not set them. */
export interface SourceValues<Media> {
  readonly plain: Readonly<Partial<Record<PlainSource, JsonValue>>>;
  /** Numbers that the request sets, by their names. */
  readonly settings: Readonly<Record<string, number>>;
  /** Options by their keys, toggles as booleans. */
  readonly options: Readonly<Record<string, JsonValue>>;
  readonly media: Readonly<Partial<Record<MediaSource, readonly Media[]>>>;
}

/** A medium for a target. `blank` stands in where the request has no file and the route defines a default. */
export type BoundMedium<Media> =
  | { readonly source: MediaSource; readonly file: Media }
  | { readonly source: MediaSource; readonly blank: 'white' | 'black' };

/** The value of a target; its media are not prepared yet. */
export type ResolvedBinding<Media> = { readonly target: string } & (
  | { readonly kind: 'plain'; readonly value: JsonValue }
  | { readonly kind: 'remove' }
  | {
      readonly kind: 'media';
      readonly media: readonly BoundMedium<Media>[];
      readonly several: boolean;
      readonly picture: ImageBinding;
    }
);

/** Sources that can have several media in a request. */
const severalOf: readonly Source[] = ['references', 'audios'];

/**
 * Returns the value of each target of a route for one job, in the route's order. Leaves out targets that keep the
 * file's own value. `jobValues` in `studio/src/renders/engine-values.ts` collects the values of a request;
 * `manifests/src/check-bindings.ts` checks the bindings before a version is kept.
 * @throws EngineFailure with the target, where the request lacks a value that the route needs, or has a wrong one
 */
export function resolveBindings<Media>(
  route: Pick<Route, 'set'>,
  values: SourceValues<Media>,
): ResolvedBinding<Media>[] {
  return Object.entries(route.set).flatMap(([target, binding]) => {
    try {
      const resolved = resolveBinding(binding, values);
      return resolved === undefined ? [] : [{ target, ...resolved }];
    } catch (error) {
      if (!(error instanceof UntransformableValue)) throw error;
      const options = { blame: 'render', code: 'invalid_request', target, cause: error } as const;
      throw new EngineFailure(`${target} cannot be set: ${error.message}`, options);
    }
  });
}

type WithoutTarget<Media> =
  ResolvedBinding<Media> extends infer One
    ? One extends { target: string }
      ? Omit<One, 'target'>
      : never
    : never;

function resolveBinding<Media>(
  binding: Binding,
  values: SourceValues<Media>,
): WithoutTarget<Media> | undefined {
  const sources = binding.from === undefined ? [] : [binding.from].flat();
  if (sources.length > 0 && sources.every(isMediaSource)) return resolveMedia(binding, sources, values);
  const value = valueOf(binding, sources, values);
  if (value !== undefined) return { kind: 'plain', value: transformValue(value, binding) };
  if (binding.absent === 'refuse')
    throw new UntransformableValue(`The request has no ${sources.join(', ')}.`);
  return binding.absent === 'remove' ? { kind: 'remove' } : undefined;
}

/** Returns `undefined` where the request does not have the value. */
function valueOf<Media>(
  { value, text, default: initial }: Binding,
  sources: readonly Source[],
  values: SourceValues<Media>,
): JsonValue | undefined {
  if (value !== undefined) return value;
  if (text !== undefined) {
    const hasAny = sourcesOfText(text).some((source) => plainValue(source, values) !== undefined);
    return initial !== undefined && !hasAny
      ? initial
      : fillText(text, (source) => textOf(plainValue(source, values) ?? null));
  }
  for (const source of sources) {
    const found = plainValue(source, values);
    if (found !== undefined) return found;
  }
  return initial;
}

function plainValue<Media>(
  source: string,
  { plain, settings, options }: SourceValues<Media>,
): JsonValue | undefined {
  return source.startsWith('options.')
    ? options[source.slice('options.'.length)]
    : (plain[source as PlainSource] ?? settings[source]);
}

function resolveMedia<Media>(
  { picture = {}, absent, default: initial }: Binding,
  sources: readonly MediaSource[],
  values: SourceValues<Media>,
): WithoutTarget<Media> | undefined {
  const found = sources.flatMap((source) => (values.media[source] ?? []).map((file) => ({ source, file })));
  const media = picture.item === undefined ? found : found.slice(picture.item, picture.item + 1);
  const several =
    picture.item === undefined && (sources.length > 1 || severalOf.includes(sources[0] as Source));
  if (media.length > 0) return { kind: 'media', media, several, picture };
  const [source] = sources;
  if ((initial === 'white' || initial === 'black') && source !== undefined)
    return { kind: 'media', media: [{ source, blank: initial }], several, picture };
  if (absent === 'refuse') throw new UntransformableValue(`The request has no ${sources.join(', ')}.`);
  return absent === 'remove' ? { kind: 'remove' } : undefined;
}

const isMediaSource = (source: Source): source is MediaSource => mediaSources.includes(source as MediaSource);
