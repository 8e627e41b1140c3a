import { Type, type Static } from 'typebox';
import { id, link, longText, nullable, oneOf, shortText, time } from './schema-builders.ts';
import { maxProjectTitleCharacters, minProjectTitleCharacters } from '../project-title.ts';

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
  // An offset of 1,000,000 is allowed; pages with one item reach it on page 1,000,001.
  page: Type.Integer({ minimum: 1, maximum: 1_000_001 }),
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  search: Type.Optional(Type.String({ maxLength: 100 })),
});
export const ProjectsAnswer = Type.Object({
  projects: Type.Array(StudioProject, { maxItems: 100 }),
  has_more: Type.Boolean(),
});
export const ProjectTitle = Type.Object({
  title: Type.String({ minLength: minProjectTitleCharacters, maxLength: maxProjectTitleCharacters }),
});

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
  // Present if the studio has the information:
  /** The beginning of its prompt. */
  prompt: Type.Optional(nullable(longText)),
  /** The token of the render that made it. */
  token: Type.Optional(nullable(id)),
  /** The video that a saved frame was taken from. */
  frame_of: Type.Optional(nullable(id)),
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
  /** Made at this time or later. */
  made_from: Type.Optional(time),
  /** Made before this time. */
  made_before: Type.Optional(time),
});
export const AssetsAnswer = Type.Object({
  assets: Type.Array(StudioAsset, { maxItems: 100 }),
  has_more: Type.Boolean(),
});
export const AssetAddress = Type.Object({ type: oneOf(assetAddressTypes), id });
export const AssetsLookupRequest = Type.Object({ ids: Type.Array(id, { minItems: 1, maxItems: 200 }) });
/** The items that the account has, in any order. */
export const AssetsLookupAnswer = Type.Object({ assets: Type.Array(StudioAsset, { maxItems: 200 }) });
export const MoveAssetsRequest = Type.Object({
  ids: Type.Array(id, { minItems: 1, maxItems: 200 }),
  /** `null` removes the items from their projects. */
  project_id: nullable(id),
});
/** Ids of the items that are now in the project. */
export const MoveAssetsAnswer = Type.Object({ moved: Type.Array(id, { maxItems: 200 }) });
export const FavoriteRequest = Type.Object({ favorite: Type.Boolean() });

export const FrameRequest = Type.Object({
  /** Seconds from the start; a time after the end means the last frame. */
  time: Type.Union([Type.Number({ minimum: 0, maximum: 1e6 }), Type.Literal('last')]),
  /** The project in which the frame is saved as a library item; `null`: it is not saved. */
  project_id: nullable(id),
});
export const FrameAnswer = Type.Object({ url: link, asset_id: nullable(id) });
