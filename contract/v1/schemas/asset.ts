import { Type, type Static } from 'typebox';
import {
  maxAssetIdCharacters,
  maxPathIdCharacters,
  maxProjectIdCharacters,
  maxSearchCharacters,
} from '../limits.ts';
import { listOf, pageQuery } from './list.ts';
import { realAnswers } from '../real-answers.ts';
import { closed, nullable, oneOf } from './schema-builders.ts';

export const assetTypes = ['image', 'video'] as const;
export type AssetType = (typeof assetTypes)[number];

/** The types of an item in a path. Lists show a saved frame as an image. */
export const assetPathTypes = ['image', 'video', 'frame'] as const;

export const Asset = closed(
  {
    id: Type.String({ description: "For something generated here, the output's id." }),
    object: Type.Literal('asset'),
    type: oneOf(assetTypes, { description: 'What it is; a saved frame is an image.' }),
    generation_type: nullable(Type.String(), {
      description: 'How it came to be; `frame` for a saved frame.',
    }),
    url: nullable(Type.String(), { description: "A link to the studio's storage." }),
    thumb_url: nullable(Type.String(), { description: 'A link to a small picture of it.' }),
    width: nullable(Type.Number(), { description: 'Pixels.' }),
    height: nullable(Type.Number(), { description: 'Pixels.' }),
    duration: nullable(Type.Number(), { description: 'Seconds.' }),
    aspect_ratio: nullable(Type.String(), { description: 'Width to height, as `16:9`.' }),
    nsfw: Type.Boolean({ description: 'Only for adults.' }),
    favorite: Type.Boolean({ description: 'Marked as a favorite.' }),
    project_id: nullable(Type.String(), { description: 'The project that it lies in.' }),
    prompt_id: nullable(Type.String(), { description: 'Shared by all that one generation made.' }),
    created_at: nullable(Type.String({ format: 'date-time' }), { description: 'When it was made.' }),
  },
  {
    title: 'Asset',
    description: 'An item of the library: anything generated on the account.',
    examples: [realAnswers.asset],
  },
);

export type Asset = Static<typeof Asset>;

export const AssetList = listOf('AssetList', Asset);

export const FavoriteAsset = closed(
  {
    id: Type.String({ description: 'Id of the item.' }),
    object: Type.Literal('asset'),
    favorite: Type.Boolean({ description: 'As it is now.' }),
  },
  {
    title: 'FavoriteAsset',
    description: 'Says whether the item is a favorite now.',
    examples: [{ id: realAnswers.asset.id, object: 'asset', favorite: true }],
  },
);

export const DeletedAsset = closed(
  {
    id: Type.String({ description: 'Id that the item had.' }),
    object: Type.Literal('asset'),
    deleted: Type.Literal(true),
  },
  {
    title: 'DeletedAsset',
    description: 'Says that the item is gone from the library.',
    examples: [{ id: realAnswers.asset.id, object: 'asset', deleted: true }],
  },
);

export const ListAssetsQuery = closed({
  type: Type.Optional(oneOf(assetTypes, { description: 'Only items of this type.' })),
  project_id: Type.Optional(
    Type.String({ maxLength: maxProjectIdCharacters, description: 'Only items of this project.' }),
  ),
  search: Type.Optional(
    Type.String({ maxLength: maxSearchCharacters, description: 'Only items whose prompt holds this.' }),
  ),
  favorites: Type.Optional(
    oneOf(['true', 'false'], { description: '`true` shows favorites only, `false` shows the others.' }),
  ),
  ...pageQuery,
});

export const ImageAssetParams = closed({
  id: Type.String({ minLength: 1, maxLength: maxPathIdCharacters, description: 'Id of the image.' }),
});

export const AssetParams = closed({
  type: oneOf(assetPathTypes, { description: 'What the item is.' }),
  id: Type.String({ minLength: 1, maxLength: maxAssetIdCharacters, description: 'Id of the item.' }),
});

export const UpdateAssetRequest = closed(
  { favorite: Type.Boolean({ description: 'Whether the item is to be a favorite.' }) },
  {
    title: 'UpdateAssetRequest',
    description: 'What is to be so from now on.',
    examples: [{ favorite: true }],
  },
);
