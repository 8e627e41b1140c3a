import type { Asset } from '@renderkit/contract/v1/schemas/asset.ts';
import type { Output } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Reference } from '../model-form/form-values.ts';

/** A picture or video as pages show it, be it an output or an item of the library: their ids are the same. */
export type MediaItem = {
  id: string;
  type: 'image' | 'video';
  url: string | null;
  thumbUrl: string | null;
  /** Pixels; null where not known. */
  width: number | null;
  height: number | null;
  /** Seconds. */
  duration: number | null;
  nsfw: boolean;
  /** How an asset is addressed in a path; a saved still differs from an image there. */
  pathType: 'image' | 'video' | 'frame';
};

export function itemOfOutput(output: Output): MediaItem {
  const { id, type, url, thumb_url, width, height, duration, nsfw } = output;
  return { id, type, url, thumbUrl: thumb_url, width, height, duration, nsfw, pathType: type };
}

export function itemOfAsset(asset: Asset): MediaItem {
  const { id, type, url, thumb_url, width, height, duration, nsfw } = asset;
  const pathType = asset.generation_type === 'frame' ? 'frame' : type;
  return { id, type, url, thumbUrl: thumb_url, width, height, duration, nsfw, pathType };
}

export function referenceOfItem(item: MediaItem): Reference {
  const { id, type, url, thumbUrl, nsfw } = item;
  return { value: id, type, url, thumbUrl, name: nameOfItem(item), nsfw };
}

/** `Image, 1024 × 768` or `Video, 5 s, 640 × 360`: what is known of it without a look. */
export function nameOfItem({
  type,
  width,
  height,
  duration,
}: Pick<MediaItem, 'type' | 'width' | 'height' | 'duration'>): string {
  return [
    type === 'image' ? 'Image' : 'Video',
    ...(duration === null ? [] : [`${Number(duration.toFixed(1))} s`]),
    ...(width === null || height === null ? [] : [`${width} × ${height}`]),
  ].join(', ');
}

/** The file that a download is saved as: its id with the ending of its address. */
export function fileNameOf({ id, url, type }: Pick<MediaItem, 'id' | 'url' | 'type'>): string {
  const ending = /\.([a-z0-9]{2,4})(?:[?#]|$)/i.exec(url ?? '')?.[1]?.toLowerCase();
  return `${id}.${ending ?? (type === 'image' ? 'png' : 'mp4')}`;
}
