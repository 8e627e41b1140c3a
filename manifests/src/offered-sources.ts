import { kindFacts, settingNames } from '@renderkit/contract/studio/kinds.ts';
import { durationsOf, resolutionKey, samplersOf } from '@renderkit/contract/studio/offers.ts';
import { type JsonValue, mediaSources, type Route, type Source } from '@renderkit/engine-kit/route.ts';
import { workingSize } from '@renderkit/engine-kit/working-size.ts';
import { type RequestShape, valuesOfOption } from './accepted-requests.ts';
import type { Manifest } from './manifest.ts';

/** The values that a source can have in the requests of a route. */
export interface OfferedSource {
  /** Whether a route that does not use the source would ignore a user's choice. */
  readonly required: boolean;
  /** All values, where they are few and known. */
  readonly choices?: readonly JsonValue[];
  /** For a number: the ends of its range, its default and similar values. */
  readonly ends?: readonly number[];
  /** Whether all values between the ends are possible too. */
  readonly isRange?: boolean;
}

export const maxSeed = 2 ** 32 - 1;

/** Returns the sources that requests of these shapes can have, with their possible values. */
export function offeredSources(
  manifest: Manifest,
  route: Route,
  shapes: readonly RequestShape[],
): ReadonlyMap<Source, OfferedSource> {
  const sources = new Map<Source, OfferedSource>(alwaysOffered(manifest, route, shapes));
  const { parameters, base_models: baseModels } = manifest;
  const kindsTaken = new Set(shapes.map(({ kind }) => kind));
  const drawn = kindsTaken.has('image') || kindsTaken.has('image_edit') || kindsTaken.has('video');
  for (const name of settingNames) {
    const range = parameters[name];
    const isTaken =
      name === 'mask_blur'
        ? shapes.some(({ mode }) => mode === 'inpaint')
        : [...kindsTaken].some((kind) => kindFacts[kind].settings.some((one) => one === name));
    // The edge of a mask is softened before it is sent, so `mask_blur` is used wherever a mask is.
    if (range !== null && isTaken)
      sources.set(name, { required: name !== 'mask_blur', isRange: true, ends: endsOf(range) });
  }
  const samplers = samplersOf(parameters);
  if (samplers.length > 0 && (kindsTaken.has('image') || kindsTaken.has('image_edit')))
    sources.set('sampler', { required: samplers.length > 1, choices: samplers });
  const bases = Object.values(baseModels ?? {}).flatMap(({ options }) => options);
  if (drawn && bases.length > 0) sources.set('base_model', { required: true, choices: bases });
  for (const [source, offered] of editSources(manifest, shapes)) sources.set(source, offered);
  const seconds = durationsOf(parameters).map((one) => one.seconds);
  if (seconds.length > 0 && (kindsTaken.has('video') || kindsTaken.has('video_extend')))
    sources.set('duration_seconds', { required: seconds.length > 1, choices: seconds, ends: seconds });
  for (const medium of mediaSources)
    if (shapes.some(({ has }) => has.includes(medium))) sources.set(medium, { required: true });
  for (const [source, offered] of optionSources(manifest, route, kindsTaken)) sources.set(source, offered);
  return sources;
}

function alwaysOffered(
  manifest: Manifest,
  route: Route,
  shapes: readonly RequestShape[],
): [Source, OfferedSource][] {
  const sizes = sizesOf(manifest, shapes).map((size) => workingSize(size, route.size));
  const ratios = ratiosOf(manifest, shapes);
  const { max_per_job: maxPerJob } = route.outputs;
  return [
    ['prompt', { required: manifest.prompt_required }],
    ['styles', { required: false }],
    ['suggestions', { required: false }],
    ['seed', { required: false, isRange: true, ends: [0, maxSeed] }],
    ['width', { required: false, ends: sizes.map(({ width }) => width) }],
    ['height', { required: false, ends: sizes.map(({ height }) => height) }],
    ...(ratios.length > 0 ? [['aspect_ratio', { required: false, choices: ratios }] as const] : []),
    // An engine that makes several outputs in one job must get their number.
    ['outputs', { required: maxPerJob > 1, isRange: true, ends: [1, maxPerJob] }],
    ['job.prefix', { required: false }],
    ['job.id', { required: false }],
  ] as [Source, OfferedSource][];
}

function editSources(
  { inpaint_types: types }: Manifest,
  shapes: readonly RequestShape[],
): [Source, OfferedSource][] {
  const modes = [...new Set(shapes.flatMap(({ mode }) => mode ?? []))];
  if (modes.length === 0) return [];
  return [
    ['mode', { required: false, choices: modes }],
    // Every edit may set `strength`, but not every engine can use it.
    ['strength', { required: false, isRange: true, ends: [0, 1] }],
    ...(modes.includes('inpaint')
      ? [
          ['inpaint_type', { required: false, choices: types ?? ['refine', 'fill'] }] as [
            Source,
            OfferedSource,
          ],
        ]
      : []),
  ];
}

function optionSources(
  { parameters }: Manifest,
  route: Route,
  kindsTaken: ReadonlySet<RequestShape['kind']>,
): [Source, OfferedSource][] {
  return parameters.options.flatMap((option): [Source, OfferedSource][] => {
    const pinned = route.for?.options?.[option.key];
    const values = pinned === undefined ? valuesOfOption(option) : [pinned];
    const offered: OfferedSource = {
      required: pinned === undefined,
      ...(values !== undefined && {
        choices: option.type === 'toggle' ? values.map((value) => value === 'true') : values,
      }),
      ...(option.type === 'slider' && { isRange: true, ends: endsOf(option) }),
    };
    const own: [Source, OfferedSource] = [`options.${option.key}`, offered];
    return option.key === resolutionKey && kindsTaken.has('video_extend')
      ? [own, ['short_side', { required: false }]]
      : [own];
  });
}

/** The options that sources with another name represent. */
export const standsFor: Readonly<Partial<Record<Source, Source>>> = {
  seed: 'options.seed',
  short_side: `options.${resolutionKey}`,
};

type NumberRange = { min?: number; max?: number; step?: number; default: number | string };

/**
 * Returns the ends of a range, its first step and its default. The first step shows whether an integer input gets
 * integers.
 */
function endsOf({ min = 0, max = min, step = 0, default: initial }: NumberRange): number[] {
  const asked = typeof initial === 'number' ? [initial] : [];
  return [...new Set([min, Math.min(max, min + step), max, ...asked])];
}

function sizesOf({ parameters }: Manifest, shapes: readonly RequestShape[]) {
  const images = shapes.some(({ kind }) => kind === 'image' || kind === 'image_edit');
  const videos = shapes.some(({ kind }) => kind === 'video');
  return [
    ...(images ? parameters.aspect_ratios : []),
    ...(videos ? Object.values(parameters.video_sizes) : []),
  ];
}

function ratiosOf({ parameters }: Manifest, shapes: readonly RequestShape[]): string[] {
  const images = shapes.some(({ kind }) => kind === 'image' || kind === 'image_edit');
  const videos = shapes.some(({ kind }) => kind === 'video');
  return [
    ...new Set([
      ...(images ? parameters.aspect_ratios.map(({ ratio }) => ratio) : []),
      ...(videos ? Object.keys(parameters.video_sizes) : []),
    ]),
  ];
}
