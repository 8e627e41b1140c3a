import { Type, type Static } from 'typebox';
import { maxAssetIdCharacters, maxPathIdCharacters } from '../../v1/limits.ts';
import { Asset, ListAssetsQuery } from '../../v1/schemas/asset.ts';
import { listOf } from '../../v1/schemas/list.ts';
import { closed, nullable, timestamp } from '../../v1/schemas/schema-builders.ts';
import { maxChosenItems } from '../limits.ts';

/** A library item and its origin. */
export const LibraryItem = closed(
  {
    object: Type.Literal('library_item'),
    asset: Asset,
    prompt: nullable(Type.String(), { description: 'Its beginning; null where there is none.' }),
    generation_id: nullable(Type.String(), {
      description: 'The generation of this service that made it; null where something else did.',
    }),
    frame_of: nullable(Type.String(), { description: 'The video that a saved frame was taken from.' }),
  },
  { title: 'LibraryItem' },
);
export type LibraryItem = Static<typeof LibraryItem>;

export const LibraryItemList = listOf('LibraryItemList', LibraryItem);

export const ListLibraryItemsQuery = closed({
  ...ListAssetsQuery.properties,
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxAssetIdCharacters,
      description: 'This item alone, whatever else is asked; none where there is no such item.',
    }),
  ),
  made_from: Type.Optional(timestamp('Only items made then or later.')),
  made_before: Type.Optional(timestamp('Only items made earlier.')),
});

export const MoveLibraryItemsRequest = closed({
  ids: Type.Array(Type.String({ minLength: 1, maxLength: maxAssetIdCharacters }), {
    minItems: 1,
    maxItems: maxChosenItems,
  }),
  project_id: nullable(Type.String({ minLength: 1, maxLength: maxPathIdCharacters }), {
    description: 'The project to put them into; null takes them out of theirs.',
  }),
});
export const MovedLibraryItems = closed({
  object: Type.Literal('moved_library_items'),
  moved: Type.Array(Type.String(), {
    description: 'Ids of those that are there now; what the library does not have stays away.',
  }),
});

/** The query of the download. The answer is the file itself, or an archive for several items. */
export const DownloadQuery = closed({
  ids: Type.String({
    minLength: 1,
    maxLength: maxChosenItems * (maxAssetIdCharacters + 1),
    description: `Ids of items with commas between them, ${maxChosenItems} at most.`,
  }),
});
