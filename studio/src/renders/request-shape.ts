import { durationsOf } from '@renderkit/contract/studio/offers.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { MediaSource } from '@renderkit/engine-kit/route.ts';
import type { RenderShape } from '../backends/render-shape.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';

/** The most pixels of an output that keeps its source's ratio. A larger source is scaled down. */
export const maxKeptPixels = 4_194_304;

/** Returns the ids of the media that a request names, by their role for an engine. */
export function mediaIdsOf(request: RenderRequest): Partial<Record<MediaSource, readonly string[]>> {
  const one = (id: string | undefined) => (id === undefined ? [] : [id]);
  const found: Partial<Record<MediaSource, readonly string[]>> = { references: request.reference_images };
  if (request.kind === 'image_edit') {
    found.image = one(request.image);
    if (request.mode === 'inpaint') found.mask = one(request.mask);
  }
  if (request.kind === 'video') {
    found.start_image = one(request.start_image);
    found.end_image = one(request.end_image);
    found.audios = request.reference_audios ?? [];
    found.source_video = one(request.source_video);
  }
  if (request.kind === 'video_extend') found.video = one(request.video_id);
  return Object.fromEntries(Object.entries(found).filter(([, ids]) => ids.length > 0));
}

/**
 * Returns what routes require of a request and what their cost depends on. Pixels that are known only later are counted
 * high. `studio/sql/functions/route_takes.sql` compares it with routes. `ratioPart` in `contract/studio/validate.ts`
 * chooses the ratio of a request that names none.
 */
export function shapeOf(request: RenderRequest, model: CatalogModel): RenderShape {
  const isVideo = request.kind === 'video' || request.kind === 'video_extend';
  const asked = isVideo ? request.duration_seconds : undefined;
  return {
    kind: request.kind,
    ...(request.kind === 'image_edit' && { mode: request.mode ?? 'transform' }),
    has: Object.fromEntries(Object.keys(mediaIdsOf(request)).map((source) => [source, true as const])),
    options: request.options,
    pixels: pixelsOf(request, model),
    seconds: isVideo ? (asked ?? durationsOf(model.offered.parameters)[0]?.seconds ?? 0) : null,
  };
}

function pixelsOf(request: RenderRequest, { offered, videoSizes }: CatalogModel): number {
  const ratio = 'aspect_ratio' in request ? request.aspect_ratio : undefined;
  const {
    aspect_ratios: ratios,
    video_aspect_ratios: videoRatios,
    same_ratio_supported: keeps,
  } = offered.parameters;
  const size =
    request.kind === 'video'
      ? videoSizes[ratio ?? videoRatios[0] ?? '']
      : request.kind === 'image' || (request.kind === 'image_edit' && !(keeps && ratio === undefined))
        ? (ratios.find((one) => one.ratio === ratio) ?? ratios[0])
        : undefined;
  return size === undefined ? maxKeptPixels : size.width * size.height;
}
