import { optionsOf } from '@renderkit/contract/studio/offers.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { type EngineRequest, EngineError, type Size } from '@renderkit/engine-kit/engine.ts';
import type { SourceFile } from '@renderkit/engine-kit/prepare-media.ts';
import type { SourceValues } from '@renderkit/engine-kit/resolve-bindings.ts';
import type { MediaSource, Route } from '@renderkit/engine-kit/route.ts';
import { workingSize } from '@renderkit/engine-kit/working-size.ts';
import type { Claim } from '../backends/claim-queries.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';
import { sourcesOf } from '@renderkit/manifests/check-machine.ts';
import { goneMessage, sizeOfRatio } from './engine-request.ts';
import { maxKeptPixels, mediaIdsOf } from './request-shape.ts';
import type { MaterialsFound } from './store.ts';

/** What one job of a render is made from, and what it must produce. */
export type JobValues = {
  values: SourceValues<SourceFile>;
  /** Pixels of each output. */
  promised: Size;
  /** Pixels at which the route works. */
  working: Size;
  image: SourceFile | null;
  /** `null` unless this is an inpaint. Blur in pixels of the image. */
  mask: { file: SourceFile; blur: number } | null;
  /** The seed that the job gets; `null` if its route takes none. */
  seed: number | null;
};

/**
 * Collects the values that a route's bindings may use for one job of a render. `asked` is the render's request to its
 * engine. `engines/kit/src/resolve-bindings.ts` puts the values into their places.
 * @throws EngineError if a file that the request names is gone
 */
export function jobValues(
  claim: Pick<Claim, 'id' | 'first_output' | 'outputs' | 'seed'>,
  route: Route,
  model: CatalogModel,
  {
    request,
    asked,
    files,
    paths,
  }: {
    request: RenderRequest;
    asked: EngineRequest;
    files: MaterialsFound['files'];
    paths: ReadonlyMap<string, string>;
  },
): JobValues {
  const media = mediaFiles(request, files, paths);
  const [image = null] = media.image ?? [];
  const [mask = null] = media.mask ?? [];
  const promised = promisedSize(asked, image ?? media.video?.[0] ?? null);
  const working = workingSize(promised, route.size);
  const { settings = {}, sampler, baseModel, styles = [], suggestions = [] } = asked.parameters;
  const blur = asked.kind === 'image_edit' ? (asked.inpaint?.blur ?? 0) : 0;
  const job = Math.floor(claim.first_output / route.outputs.max_per_job);
  const seed = (Number(claim.seed ?? asked.seed) + job) % 2 ** 32;
  const plain: SourceValues<SourceFile>['plain'] = {
    ...(sampler !== undefined && { sampler }),
    ...(baseModel !== undefined && { base_model: baseModel }),
    ...(asked.kind === 'image_edit' && {
      strength: asked.strength,
      mode: asked.inpaint === null ? 'transform' : 'inpaint',
      ...(asked.inpaint && { inpaint_type: asked.inpaint.type }),
    }),
    ...('durationSeconds' in asked && { duration_seconds: asked.durationSeconds }),
    ...('shortSide' in asked && asked.shortSide !== null && { short_side: asked.shortSide }),
    prompt: asked.prompt,
    styles,
    suggestions,
    aspect_ratio: ratioOf(request, model),
    seed,
    width: working.width,
    height: working.height,
    outputs: claim.outputs,
    'job.id': claim.id,
    'job.prefix': `rk/${claim.id}/r`,
  };
  const values = {
    plain,
    settings:
      asked.kind === 'image_edit' && asked.inpaint !== null ? { ...settings, mask_blur: blur } : settings,
    options: optionValues(request, model),
    media,
  };
  const takesSeed = Object.values(route.set).some((binding) => sourcesOf(binding).includes('seed'));
  return {
    values,
    promised,
    working,
    image,
    mask: mask && { file: mask, blur },
    seed: takesSeed ? seed : null,
  };
}

function mediaFiles(
  request: RenderRequest,
  files: MaterialsFound['files'],
  paths: ReadonlyMap<string, string>,
): Partial<Record<MediaSource, SourceFile[]>> {
  const found: Partial<Record<MediaSource, SourceFile[]>> = {};
  for (const [source, ids] of Object.entries(mediaIdsOf(request)) as [MediaSource, string[]][])
    found[source] = ids.map((id) => {
      const file = files.find((one) => one.id === id);
      const path = paths.get(file?.storage_key ?? '');
      if (file === undefined || path === undefined)
        throw new EngineError('unreadable_reference', goneMessage);
      return { path, type: file.type, width: file.width, height: file.height };
    });
  return found;
}

function promisedSize(asked: EngineRequest, source: SourceFile | null): Size {
  if (asked.kind === 'image' || asked.kind === 'video') return { width: asked.width, height: asked.height };
  if (asked.kind === 'image_edit' && asked.size !== null) return asked.size;
  if (source === null || source.width === null || source.height === null)
    throw new EngineError('unreadable_reference', goneMessage);
  const own = { width: source.width, height: source.height };
  if (asked.kind === 'image_edit')
    return own.width * own.height <= maxKeptPixels ? own : sizeOfRatio(own, maxKeptPixels);
  const scale = asked.shortSide === null ? 1 : asked.shortSide / Math.min(own.width, own.height);
  return sizeOfRatio(own, own.width * own.height * scale * scale);
}

function ratioOf(request: RenderRequest, { offered }: CatalogModel): string {
  const { aspect_ratios: ratios, video_aspect_ratios: videoRatios } = offered.parameters;
  const initial = request.kind === 'video' ? videoRatios[0] : ratios[0]?.ratio;
  return ('aspect_ratio' in request ? request.aspect_ratio : undefined) ?? initial ?? '1:1';
}

/** Returns the values of options. Clients send toggles as numbers or booleans; bindings expect booleans. */
function optionValues(
  request: RenderRequest,
  { offered }: CatalogModel,
): SourceValues<SourceFile>['options'] {
  const toggles = new Set(
    offered.parameters.options.filter(({ type }) => type === 'toggle').map(({ key }) => key),
  );
  return Object.fromEntries(
    Object.entries(optionsOf(request)).map(([key, value]) => [
      key,
      toggles.has(key) ? Boolean(value) : value,
    ]),
  );
}
