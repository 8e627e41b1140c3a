import { type SettingName, settingNames } from '@renderkit/contract/studio/kinds.ts';
import { durationsOf, optionsOf, resolutionKey } from '@renderkit/contract/studio/offers.ts';
import { referencesOf } from '@renderkit/contract/studio/references.ts';
import type { RenderRequest, RequestOf } from '@renderkit/contract/studio/schemas/render.ts';
import { sameRatio } from '@renderkit/contract/studio/validate-references.ts';
import { strengthDefault } from '@renderkit/contract/studio/validate.ts';
import {
  EngineError,
  type EngineRequest,
  type ImageEditRequest,
  type MediaFile,
  type Size,
  type VideoExtendRequest,
  type VideoRequest,
} from '@renderkit/engine-kit/engine.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';
import { type CatalogSnapshot, wordsOf } from '../catalog/snapshot.ts';
import { seedOf } from './seed.ts';
import type { MaterialsFound, ReferenceFile, RenderAttempt } from './store.ts';

type Materials<K extends RenderRequest['kind'] = RenderRequest['kind']> = {
  request: RequestOf<K>;
  model: CatalogModel;
  /** Returns the stored file of an id that the request names. */
  fileOf: (id: string | undefined) => (MediaFile & Pick<ReferenceFile, 'width' | 'height'>) | null;
};
type Common = Pick<VideoRequest, 'engineModel' | 'prompt' | 'seed' | 'parameters' | 'references' | 'outputs'>;

export const goneMessage = 'A file that the request names is gone.';

/** Returns the ids of the media that a request names, each once. */
export function mediaOf(request: RenderRequest): string[] {
  return [...new Set(referencesOf(request).map(({ value }) => value))];
}

/**
 * Builds a render's request to its engine: files instead of ids, sizes instead of ratios, words instead of styles.
 * `paths` maps each storage key to a local file; `snapshot` has the words of styles and suggestions.
 * `draw-submission.ts` passes the request to an engine of the worker; for other engines `engine-values.ts` makes the
 * values that a route binds.
 * @throws EngineError if something that the request names is gone
 */
export function engineRequest(
  started: Pick<RenderAttempt, 'id' | 'expected_outputs'>,
  request: RenderRequest,
  model: CatalogModel,
  {
    files,
    styles,
    paths,
    snapshot,
  }: MaterialsFound & { paths: ReadonlyMap<string, string>; snapshot: Pick<CatalogSnapshot, 'words'> },
): EngineRequest {
  const fileOf = (id: string | undefined) => {
    if (id === undefined) return null;
    const file = files.find((one) => one.id === id);
    const path = paths.get(file?.storage_key ?? '');
    if (file === undefined || path === undefined) throw new EngineError('unreadable_reference', goneMessage);
    return { path, width: file.width, height: file.height };
  };
  const own = new Map(styles.map(({ id, name }) => [id, name]));
  const words = (ids: readonly string[]) => wordsOf(snapshot, ids, own);
  const common = commonRequest(started, { request, model, fileOf }, words);
  switch (request.kind) {
    case 'image':
      return { ...common, kind: 'image', ...offeredSize(request, model) };
    case 'image_edit':
      return { ...common, ...editRequest({ request, model, fileOf }) };
    case 'video':
      return { ...common, ...videoRequest({ request, model, fileOf }) };
    case 'video_extend':
      return { ...common, ...extendRequest({ request, model, fileOf }) };
  }
}

function commonRequest(
  started: Pick<RenderAttempt, 'id' | 'expected_outputs'>,
  { request, model, fileOf }: Materials,
  words: (ids: readonly string[]) => string[],
): Common {
  const { seed: _seed, ...options } = request.options;
  return {
    engineModel: model.routes[0]?.model ?? '',
    prompt: request.prompt,
    seed: seedOf(request, started.id),
    parameters: {
      settings: settingsOf(request),
      ...('sampler' in request && request.sampler !== undefined && { sampler: request.sampler }),
      ...('base_model' in request && request.base_model !== undefined && { baseModel: request.base_model }),
      options,
      styles: words(request.styles),
      suggestions: words(request.suggestions),
    },
    references: request.reference_images.flatMap((id) => fileOf(id) ?? []),
    outputs: started.expected_outputs,
  };
}

/** The numbers that a request sets, by their names. */
function settingsOf(request: RenderRequest): Record<string, number> {
  const asked = request as { readonly [S in SettingName]?: number };
  return Object.fromEntries(
    settingNames.flatMap((name) => (asked[name] === undefined ? [] : [[name, asked[name]]])),
  );
}

function offeredSize(request: { aspect_ratio?: string }, model: CatalogModel): Size {
  const ratios = model.offered.parameters.aspect_ratios;
  const wanted = request.aspect_ratio ?? ratios[0]?.ratio;
  const ratio = ratios.find((offered) => offered.ratio === wanted);
  if (ratio === undefined) throw new EngineError('invalid_request', 'The aspect ratio is no longer offered.');
  return { width: ratio.width, height: ratio.height };
}

type EditPart = Pick<ImageEditRequest, 'kind' | 'image' | 'size' | 'strength' | 'inpaint'>;

function editRequest({ request, model, fileOf }: Materials<'image_edit'>): EditPart {
  const image = fileOf(request.image);
  if (image === null) throw new EngineError('invalid_request', 'An edit needs a picture.');
  const keepsSize = model.offered.parameters.same_ratio_supported && request.aspect_ratio === undefined;
  const type = request.inpaint_type ?? 'refine';
  const mask = request.mode === 'inpaint' ? fileOf(request.mask) : null;
  if (request.mode === 'inpaint' && mask === null)
    throw new EngineError('invalid_request', 'An inpaint needs a mask.');
  // The submit checks known sizes. The size of an upload that was still being checked then is known only now.
  if (mask !== null && !sameRatio(mask, image))
    throw new EngineError('invalid_request', 'The mask must have the aspect ratio of the image.');
  const blur = request.mask_blur ?? model.offered.parameters.mask_blur?.default ?? 0;
  return {
    kind: 'image_edit',
    image,
    size: keepsSize ? null : offeredSize(request, model),
    strength: request.strength ?? strengthDefault(request),
    inpaint: mask && { mask, type, blur },
  };
}

type VideoPart = Omit<VideoRequest, keyof Common>;

function videoRequest(materials: Materials<'video'>): VideoPart {
  const { request, fileOf } = materials;
  const startImage = fileOf(request.start_image);
  const sourceVideo = fileOf(request.source_video);
  return {
    kind: 'video',
    ...videoSize(materials, sourceVideo ?? startImage),
    durationSeconds: durationOf(materials.request, materials.model),
    startImage,
    endImage: fileOf(request.end_image),
    audios: (request.reference_audios ?? []).flatMap((id) => fileOf(id) ?? []),
    sourceVideo,
  };
}

/**
 * Returns the size of the requested ratio. Without a ratio it keeps the source's, if the model can, with the usual
 * number of pixels.
 */
function videoSize(
  { request, model }: Materials<'video'>,
  source: Pick<ReferenceFile, 'width' | 'height'> | null,
): Size {
  const { video_aspect_ratios: ratios, same_ratio_supported: canKeepRatio } = model.offered.parameters;
  const size = model.videoSizes[request.aspect_ratio ?? ratios[0] ?? ''];
  if (size === undefined) throw new EngineError('invalid_request', 'The aspect ratio is no longer offered.');
  const keepsRatio = request.aspect_ratio === undefined && canKeepRatio;
  if (!keepsRatio || source === null || !source.width || !source.height) return size;
  return sizeOfRatio({ width: source.width, height: source.height }, size.width * size.height);
}

/** Returns a size with the ratio of `shape`, even sides and about `pixels` pixels. */
export function sizeOfRatio(shape: Size, pixels: number): Size {
  const scale = Math.sqrt(pixels / (shape.width * shape.height));
  const even = (side: number) => Math.max(64, Math.round((side * scale) / 2) * 2);
  return { width: even(shape.width), height: even(shape.height) };
}

function durationOf(request: RequestOf<'video' | 'video_extend'>, model: CatalogModel): number {
  const seconds = request.duration_seconds ?? durationsOf(model.offered.parameters)[0]?.seconds;
  if (seconds === undefined) throw new EngineError('invalid_request', 'A video needs a duration.');
  return seconds;
}

type ExtendPart = Omit<VideoExtendRequest, keyof Common>;

function extendRequest(materials: Materials<'video_extend'>): ExtendPart {
  const { request, fileOf } = materials;
  const video = fileOf(request.video_id);
  if (video === null) throw new EngineError('invalid_request', 'An extension needs a video.');
  return {
    kind: 'video_extend',
    video,
    durationSeconds: durationOf(materials.request, materials.model),
    shortSide: shortSideOf(optionsOf(request)[resolutionKey]),
  };
}

/** `480p` is 480 pixels. */
function shortSideOf(resolution: string | number | boolean | undefined): number | null {
  const [, digits] = /^(\d{2,4})p?$/.exec(String(resolution ?? '')) ?? [];
  return digits === undefined ? null : Number(digits);
}
