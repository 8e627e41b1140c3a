import type { StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';

/** Puts the studio's public address before the links of an item; the database keeps only the paths. */
export function presentAsset(asset: StudioAsset, mediaUrl: string): StudioAsset {
  return {
    ...asset,
    url: asset.url === null ? null : mediaUrl + asset.url,
    thumb_url: asset.thumb_url === null ? null : mediaUrl + asset.thumb_url,
  };
}
