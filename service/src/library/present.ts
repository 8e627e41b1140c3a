import type { StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';
import type { Asset } from '@renderkit/contract/v1/schemas/asset.ts';

// Copies field by field, so that other fields of the studio stay internal.
export function presentAsset(asset: StudioAsset): Asset {
  return {
    id: asset.id,
    object: 'asset',
    type: asset.type,
    generation_type: asset.generation_type,
    url: asset.url,
    thumb_url: asset.thumb_url,
    width: asset.width,
    height: asset.height,
    duration: asset.duration,
    aspect_ratio: asset.aspect_ratio,
    nsfw: asset.nsfw,
    favorite: asset.favorite,
    project_id: asset.project_id,
    prompt_id: asset.prompt_id,
    created_at: asset.created_at,
  };
}
