import { type Kind, kindFacts, kinds } from '@renderkit/contract/studio/kinds.ts';
import type { MediaSource, Route } from '@renderkit/engine-kit/route.ts';
import type { Manifest } from './manifest.ts';

/**
 * The properties of a request that decide which routes take it. `contract/studio/validate.ts` checks a request itself.
 */
export interface RequestShape {
  readonly kind: Kind;
  /** For edits only. */
  readonly mode?: 'transform' | 'inpaint';
  readonly has: readonly MediaSource[];
  /** Only options that some route checks in its `for`. */
  readonly options: Readonly<Record<string, string>>;
}

/** An understandable model has fewer shapes. */
export const maxShapes = 5_000;

/** Returns every shape of request that a model accepts; `undefined` where there are more than `maxShapes`. */
export function acceptedShapes(manifest: Manifest): RequestShape[] | undefined {
  const choices = optionChoices(manifest);
  const shapes: RequestShape[] = [];
  for (const kind of kinds.filter((one) => manifest.suites.includes(kindFacts[one].suite)))
    for (const { mode, media } of mediaOf(manifest, kind)) {
      const sets = subsets(media);
      const options = products(choices);
      if (shapes.length + sets.length * options.length > maxShapes) return undefined;
      for (const has of sets)
        for (const chosen of options)
          shapes.push({ kind, ...(mode !== undefined && { mode }), has, options: chosen });
    }
  return shapes;
}

/**
 * Returns whether a route takes requests of this shape. `studio/sql/functions/route_takes.sql` is the same rule for a
 * render.
 */
export function takes({ for: wanted = {} }: Pick<Route, 'for'>, shape: RequestShape): boolean {
  return (
    (wanted.kind === undefined || wanted.kind === shape.kind) &&
    (wanted.mode === undefined || wanted.mode === shape.mode) &&
    (wanted.has ?? []).every((medium) => shape.has.includes(medium)) &&
    !(wanted.lacks ?? []).some((medium) => shape.has.includes(medium)) &&
    Object.entries(wanted.options ?? {}).every(([key, value]) => shape.options[key] === value)
  );
}

/** Describes a shape in words: "an image_edit (inpaint) with mask, image". */
export function describeShape({ kind, mode, has, options }: RequestShape): string {
  const chosen = Object.entries(options).map(([key, value]) => `${key} ${value}`);
  const words = [...has, ...chosen];
  return `${kind}${mode === undefined ? '' : ` (${mode})`}${words.length === 0 ? '' : ` with ${words.join(', ')}`}`;
}

/**
 * Returns the values of an option, spelled as in a route's `for` and in the keys of a map; `undefined` where the option
 * has no fixed values.
 */
export function valuesOfOption(option: Manifest['parameters']['options'][number]): string[] | undefined {
  if (option.type === 'select') return (option.values ?? []).map(({ value }) => value);
  return option.type === 'toggle' ? ['true', 'false'] : undefined;
}

/** A medium, and whether a request must have it. */
type Medium = { readonly source: MediaSource; readonly required: boolean };

function mediaOf(
  { parameters, inpaint }: Manifest,
  kind: Kind,
): { mode?: 'transform' | 'inpaint'; media: Medium[] }[] {
  const { frames, audio, source_video: source } = parameters;
  const references: Medium[] =
    parameters.max_reference_images > 0 ? [{ source: 'references', required: false }] : [];
  switch (kind) {
    case 'image':
      return [{ media: references }];
    case 'image_edit': {
      const media: Medium[] = [{ source: 'image', required: true }, ...references];
      const masked: Medium[] = [...media, { source: 'mask', required: true }];
      return [
        { mode: 'transform', media },
        ...(inpaint ? [{ mode: 'inpaint' as const, media: masked }] : []),
      ];
    }
    case 'video':
      return [
        {
          media: [
            ...references,
            ...(frames.start ? [{ source: 'start_image', required: frames.start_required } as const] : []),
            ...(frames.end ? [{ source: 'end_image', required: frames.end_required } as const] : []),
            ...(audio === null ? [] : [{ source: 'audios', required: false } as const]),
            ...(source === null ? [] : [{ source: 'source_video', required: false } as const]),
          ],
        },
      ];
    case 'video_extend':
      return [{ media: [{ source: 'video', required: true }] }];
  }
}

function subsets(media: readonly Medium[]): MediaSource[][] {
  return media.reduce<MediaSource[][]>(
    (sets, { source, required }) => [...(required ? [] : sets), ...sets.map((set) => [...set, source])],
    [[]],
  );
}

/** Returns the options that some route checks in its `for`, with their values. */
function optionChoices({ routes, parameters }: Manifest): [string, string[]][] {
  const keys = new Set(routes.flatMap((route) => Object.keys(route.for?.options ?? {})));
  return parameters.options.flatMap((option): [string, string[]][] => {
    const values = keys.has(option.key) ? valuesOfOption(option) : undefined;
    return values === undefined ? [] : [[option.key, values]];
  });
}

function products(choices: readonly [string, string[]][]): Record<string, string>[] {
  return choices.reduce<Record<string, string>[]>(
    (rows, [key, values]) =>
      rows.length > maxShapes
        ? rows
        : rows.flatMap((row) => values.map((value) => ({ ...row, [key]: value }))),
    [{}],
  );
}
