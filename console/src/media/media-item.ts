import type { Asset } from '@renderkit/contract/v1/schemas/asset.ts';
import type { Output } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Reference } from './reference.ts';

/** An image or video as pages show it: an output, or an item of the library. Both have the same id. */
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
  /** The type in the path of an asset, where a saved frame is no image. */
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

/** A name made from what is known about an item: `Image, 1024 × 768`, `Video, 5 s, 640 × 360`. */
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

/**
 * The address that saves an item instead of showing it. Only the included studio knows the parameter; any other address
 * may be signed, so it stays as it is and shows the item.
 */
export function downloadAddress(url: string, studioUrl: string): string {
  if (!URL.canParse(url) || !URL.canParse(studioUrl)) return url;
  const address = new URL(url);
  if (address.origin !== new URL(studioUrl).origin || address.search !== '') return url;
  address.searchParams.set('download', '1');
  return address.href;
}
