import { Type, type Static } from 'typebox';
import { id, link, nullable, oneOf, shortText, time } from './schema-builders.ts';

export const StudioProject = Type.Object({
  id,
  title: shortText,
  updated_at: nullable(time),
  last_generation: nullable(
    Type.Object({
      type: nullable(shortText),
      url: nullable(link),
      thumb_url: nullable(link),
      nsfw: Type.Boolean(),
    }),
  ),
});
export type StudioProject = Static<typeof StudioProject>;
export const ProjectsQuery = Type.Object({
  // An offset of 1,000,000 is allowed, which a page of one item reaches on page 1,000,001.
  page: Type.Integer({ minimum: 1, maximum: 1_000_001 }),
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  search: Type.Optional(Type.String({ maxLength: 100 })),
});
export const ProjectsAnswer = Type.Object({
  projects: Type.Array(StudioProject, { maxItems: 100 }),
  has_more: Type.Boolean(),
});
export const ProjectTitle = Type.Object({ title: Type.String({ minLength: 2, maxLength: 50 }) });

/** `frame` is an image that was taken from a video and saved. */
export const assetAddressTypes = ['image', 'video', 'frame'] as const;
export const StudioAsset = Type.Object({
  id,
  type: oneOf(['image', 'video'] as const),
  generation_type: nullable(shortText),
  url: nullable(link),
  thumb_url: nullable(link),
  width: nullable(Type.Number()),
  height: nullable(Type.Number()),
  duration: nullable(Type.Number()),
  aspect_ratio: nullable(shortText),
  nsfw: Type.Boolean(),
  favorite: Type.Boolean(),
  project_id: nullable(id),
  prompt_id: nullable(id),
  created_at: nullable(time),
});
export type StudioAsset = Static<typeof StudioAsset>;
export const AssetsQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_001 }),
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  type: Type.Optional(oneOf(['image', 'video'] as const)),
  project_id: Type.Optional(Type.String({ maxLength: 200 })),
  /** Words of the prompt. */
  search: Type.Optional(Type.String({ maxLength: 100 })),
  favorites: Type.Optional(Type.Boolean()),
});
export const AssetsAnswer = Type.Object({
  assets: Type.Array(StudioAsset, { maxItems: 100 }),
  has_more: Type.Boolean(),
});
export const AssetAddress = Type.Object({ type: oneOf(assetAddressTypes), id });
export const FavoriteRequest = Type.Object({ favorite: Type.Boolean() });

export const FrameRequest = Type.Object({
  /** Seconds from the start; past the end it is the last frame. */
  time: Type.Union([Type.Number({ minimum: 0, maximum: 1e6 }), Type.Literal('last')]),
  /** Where the frame is to be kept as an item of the library; null: nowhere. */
  project_id: nullable(id),
});
export const FrameAnswer = Type.Object({ url: link, asset_id: nullable(id) });
