import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { ownPath } from '../format/own-path.ts';
import type { Asset } from '@renderkit/contract/v1/schemas/asset.ts';
import type { Output } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Reference } from './reference.ts';

/** An image or video as pages show it: an output, or an item of the library. Both have the same id. */
export type MediaItem = {
  id: string;
  type: 'image' | 'video';
  url: string | null;
  thumbUrl: string | null;
  /** Pixels. `null` when not known. */
  width: number | null;
  height: number | null;
  /** Seconds. */
  duration: number | null;
  nsfw: boolean;
  /** The type in the path of an asset. A saved frame has its own type there. */
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

/** Returns a name from the known facts about an item: `Image, 1024 × 768`, `Video, 5 s, 640 × 360`. */
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

const ownMedia = /^\/media\/[^/]+\/(ast_[0-9a-z]+)\.\w+$/;

/**
 * Returns the address that downloads an item under a name made from its prompt and seed. Items of the included studio
 * are served by this service. Any other address may be signed, so it is returned unchanged and only shows the item.
 * `service/src/downloads/file-name.ts` makes the name of a download.
 */
export function downloadAddress(url: string, studioUrl: string): string {
  if (!URL.canParse(url) || !URL.canParse(studioUrl)) return url;
  const { origin, pathname } = new URL(url);
  const id = origin === new URL(studioUrl).origin ? ownMedia.exec(pathname)?.[1] : undefined;
  return id === undefined ? url : downloadAddressOf([id]);
}

/** Returns the address that downloads items of the library: one as a file, several in an archive. */
export function downloadAddressOf(ids: readonly string[]): string {
  return `${ownPath(consoleAddresses.download)}?ids=${ids.join(',')}`;
}
