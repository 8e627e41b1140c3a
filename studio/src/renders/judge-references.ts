import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { Refusal } from '@renderkit/contract/studio/schemas/error.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { refusal } from './refusals.ts';

/** An item of the library, or an upload, as far as a request that names it has to know. */
export type OwnMedia = {
  /** Frames and pictures are images, whatever they came from. */
  type: 'image' | 'video' | 'audio';
  from: 'library' | 'upload';
  /** Items of the library are always ready. */
  status: 'processing' | 'ready' | 'rejected';
  content_type: string;
  size_bytes: number;
  /** Pixels, as a viewer shows it. */
  width: number | null;
  height: number | null;
  duration: number | null;
};

export type ReferencesJudged = {
  /** Paths of what the account does not have. */
  unknown: string[];
  /** What cannot serve where it is named. */
  invalid: { field: string; message: string }[];
  /** The first that moderation has rejected. */
  refusal: Refusal | undefined;
  /** Whether one is still being looked at. */
  waits: boolean;
};

type Role = 'picture' | 'mask' | 'sound' | 'source' | 'library video';
type Reference = { field: string; id: string; role: Role };

/** Whatever media a request names, with the path of the field that names it. */
export function referencesOf(request: RenderRequest): Reference[] {
  const one = (field: string, id: string | undefined, role: Role): Reference[] =>
    id === undefined ? [] : [{ field, id, role }];
  const each = (field: string, ids: string[] | undefined, role: Role): Reference[] =>
    (ids ?? []).map((id, i) => ({ field: `${field}[${i}]`, id, role }));
  return [
    ...each('reference_images', request.reference_images, 'picture'),
    ...one('image', request.image, 'picture'),
    ...one('mask', request.mask, 'mask'),
    ...one('start_image', request.start_image, 'picture'),
    ...one('end_image', request.end_image, 'picture'),
    ...each('reference_audios', request.reference_audios, 'sound'),
    ...one('source_video', request.source_video, 'source'),
    ...one('video_id', request.video_id, 'library video'),
  ];
}

/**
 * What is wrong with the media that a request names. `coming` are tokens of uploads that will be there by the submit:
 * nothing is known of them yet, so nothing is said.
 */
export function judgeReferences(
  request: RenderRequest,
  parameters: StudioModel['parameters'] | undefined,
  own: ReadonlyMap<string, OwnMedia>,
  coming: ReadonlySet<string>,
): ReferencesJudged {
  const judged: ReferencesJudged = { unknown: [], invalid: [], refusal: undefined, waits: false };
  for (const { field, id, role } of referencesOf(request)) {
    const media = own.get(id);
    if (media === undefined || (role === 'library video' && media.from !== 'library')) {
      if (!coming.has(id)) judged.unknown.push(field);
      continue;
    }
    const complaint = complaintOf(media, role, parameters, imageOf(request, own));
    if (complaint !== undefined) judged.invalid.push({ field, message: complaint });
    if (media.status === 'processing') judged.waits = true;
    if (media.status === 'rejected')
      judged.refusal ??= refusal('moderation_blocked', {
        field,
        message: 'The upload was rejected: it cannot be used.',
      });
  }
  return judged;
}

const imageOf = ({ image }: RenderRequest, own: ReadonlyMap<string, OwnMedia>) =>
  image === undefined ? undefined : own.get(image);

const megabyte = 1024 * 1024;

function complaintOf(
  media: OwnMedia,
  role: Role,
  parameters: StudioModel['parameters'] | undefined,
  image: OwnMedia | undefined,
): string | undefined {
  switch (role) {
    case 'picture':
      return media.type === 'image' ? undefined : 'must be an image';
    case 'mask':
      if (media.type !== 'image' || media.content_type !== 'image/png') return 'must be a PNG';
      return image === undefined || hasRatioOf(media, image)
        ? undefined
        : 'must have the aspect ratio of the image';
    case 'sound': {
      const longest = parameters?.audio?.max_duration ?? Number.POSITIVE_INFINITY;
      if (media.type !== 'audio') return 'must be an audio file';
      return (media.duration ?? 0) > longest ? `must be ${longest} seconds long at most` : undefined;
    }
    case 'source':
      if (media.type !== 'video') return 'must be a video';
      return complaintOfSource(media, parameters?.source_video ?? null);
    case 'library video':
      return media.type === 'video' ? undefined : 'must be a video';
  }
}

function complaintOfSource(
  { duration, width, height, size_bytes }: OwnMedia,
  limits: StudioModel['parameters']['source_video'],
): string | undefined {
  if (limits === null) return undefined;
  if ((duration ?? 0) > limits.max_duration) return `must be ${limits.max_duration} seconds long at most`;
  if ((width ?? 0) < (limits.min_width ?? 0)) return `must be ${limits.min_width} pixels wide at least`;
  if ((height ?? 0) < (limits.min_height ?? 0)) return `must be ${limits.min_height} pixels high at least`;
  return size_bytes > (limits.max_filesize_mb ?? Number.POSITIVE_INFINITY) * megabyte
    ? `must have ${limits.max_filesize_mb} MB at most`
    : undefined;
}

// Tools that scale a picture round its sides.
const ratioTolerance = 0.01;

/** Whether a mask has the ratio of its picture, as the engines see it. */
function hasRatioOf(mask: OwnMedia, image: OwnMedia): boolean {
  const [maskWidth, maskHeight] = [mask.width ?? 0, mask.height ?? 0];
  const [width, height] = [image.width ?? 0, image.height ?? 0];
  if (image.type !== 'image' || width === 0 || maskHeight === 0) return true;
  return Math.abs((maskWidth * height) / width - maskHeight) <= Math.max(1, maskHeight * ratioTolerance);
}
