import type { Issue } from './issues.ts';
import { type Reference, type Referring, referencesOf } from './references.ts';
import type { StudioModel } from './schemas/catalog.ts';
import type { RenderRequest } from './schemas/render.ts';

/** The maximum length of a library item's id. No item has a longer id. */
const maxLibraryIdCharacters = 200;
const maskShape = /^(?:upl_|[dD][aA][tT][aA]:image\/png;base64,)/;

/**
 * Validates only the form of references, after addresses have been replaced by uploads. Ignores a mask without an
 * inpaint. Only the studio can check whether an item exists.
 */
export function validateReferenceForms(body: Referring & { readonly mode?: unknown }): Issue[] {
  return referencesOf(body).flatMap(({ field, value, role }): Issue[] => {
    const isAddress = /^[a-z][a-z0-9+.-]*:/i.test(value);
    switch (role) {
      case 'mask':
        return body.mode !== 'inpaint' || maskShape.test(value) ? [] : [{ field, code: 'not_a_mask' }];
      case 'library video':
        return isAddress || /^upl_/i.test(value) ? [{ field, code: 'not_a_library_video' }] : [];
      default:
        if (isAddress) return [{ field, code: 'not_a_reference' }];
        return value.length > maxLibraryIdCharacters ? [{ field, code: 'unknown_item' }] : [];
    }
  });
}

/** The properties of a library item or an upload that the validation of a request needs. */
export type OwnMedia = {
  /** Frames and pictures are images, whatever their origin. */
  type: 'image' | 'video' | 'audio';
  from: 'library' | 'upload';
  /** Library items are always ready. */
  status: 'processing' | 'ready' | 'rejected';
  content_type: string;
  size_bytes: number;
  /** Pixels, as a viewer displays the file. */
  width: number | null;
  height: number | null;
  /** Seconds. */
  duration: number | null;
};

export type ValidatedReferences = {
  /** Paths of references to media that the account does not have. */
  unknown: string[];
  /** Media that are unsuitable for their field. */
  issues: Issue[];
  /** The path of the first reference that moderation has rejected. */
  rejected: string | undefined;
  /** Whether at least one upload is still being processed. */
  waits: boolean;
};

/**
 * Validates the media of references: their types, sizes and lengths. `coming` has the tokens of uploads that will exist
 * before the submit. Nothing is known about them yet, so they cause no issue. `validateOwnReferences` in
 * `studio/src/renders/create-quotes.ts` looks the media up and calls this.
 */
export function validateReferences(
  request: RenderRequest,
  parameters: Pick<StudioModel['parameters'], 'audio' | 'source_video'> | undefined,
  own: ReadonlyMap<string, OwnMedia>,
  coming: ReadonlySet<string>,
): ValidatedReferences {
  const validated: ValidatedReferences = { unknown: [], issues: [], rejected: undefined, waits: false };
  const source = request.kind === 'image_edit' ? own.get(request.image ?? '') : undefined;
  for (const { field, value: id, role } of referencesOf(request)) {
    const media = own.get(id);
    if (media === undefined || (role === 'library video' && media.from !== 'library')) {
      if (!coming.has(id)) validated.unknown.push(field);
      continue;
    }
    const issue = issueOf(field, media, role, parameters, source);
    if (issue !== undefined) validated.issues.push(issue);
    if (media.status === 'processing') validated.waits = true;
    if (media.status === 'rejected') validated.rejected ??= field;
  }
  return validated;
}

function issueOf(
  field: string,
  media: OwnMedia,
  role: Reference['role'],
  parameters: Pick<StudioModel['parameters'], 'audio' | 'source_video'> | undefined,
  source: OwnMedia | undefined,
): Issue | undefined {
  switch (role) {
    case 'image':
      return media.type === 'image' ? undefined : { field, code: 'not_an_image' };
    case 'mask':
      if (media.type !== 'image' || media.content_type !== 'image/png') return { field, code: 'not_a_png' };
      return source === undefined || source.type !== 'image' || sameRatio(media, source)
        ? undefined
        : { field, code: 'other_ratio' };
    case 'audio':
      if (media.type !== 'audio') return { field, code: 'not_an_audio' };
      return lengthIssue(field, media, parameters?.audio?.max_duration);
    case 'source video':
      if (media.type !== 'video') return { field, code: 'not_a_video' };
      return sourceVideoIssue(field, media, parameters?.source_video ?? null);
    case 'library video':
      return media.type === 'video' ? undefined : { field, code: 'not_a_video' };
  }
}

function lengthIssue(field: string, { duration }: OwnMedia, max: number | undefined): Issue | undefined {
  const asked = duration ?? 0;
  return max !== undefined && asked > max ? { field, code: 'too_long', asked, allowed: max } : undefined;
}

const megabyte = 1024 * 1024;

function sourceVideoIssue(
  field: string,
  media: OwnMedia,
  limits: StudioModel['parameters']['source_video'],
): Issue | undefined {
  if (limits === null) return undefined;
  const tooLong = lengthIssue(field, media, limits.max_duration);
  if (tooLong !== undefined) return tooLong;
  const { min_width: minWidth, min_height: minHeight, max_filesize_mb: maxMegabytes } = limits;
  const [width, height] = [media.width ?? 0, media.height ?? 0];
  if (minWidth !== null && width < minWidth)
    return { field, code: 'too_narrow', asked: width, allowed: minWidth };
  if (minHeight !== null && height < minHeight)
    return { field, code: 'too_low', asked: height, allowed: minHeight };
  return maxMegabytes !== null && media.size_bytes > maxMegabytes * megabyte
    ? { field, code: 'too_large', allowed: maxMegabytes }
    : undefined;
}

/**
 * The allowed difference between the ratios of a mask and its image, because tools that scale an image round its sides.
 */
const ratioTolerance = 0.01;

type Size = { width: number | null; height: number | null };

/**
 * Returns whether a mask has the ratio of its image. Accepts a difference of one pixel, because small masks are
 * rounded. Unknown sizes are accepted.
 */
export function sameRatio(mask: Size, image: Size): boolean {
  const [maskWidth, maskHeight] = [mask.width ?? 0, mask.height ?? 0];
  const [width, height] = [image.width ?? 0, image.height ?? 0];
  if (width === 0 || maskHeight === 0) return true;
  return Math.abs((maskWidth * height) / width - maskHeight) <= Math.max(1, maskHeight * ratioTolerance);
}
