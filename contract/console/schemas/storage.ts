import { Type, type Static } from 'typebox';
import { generationStatuses } from '../../v1/schemas/generation.ts';
import { listOf, pageQuery } from '../../v1/schemas/list.ts';
import { closed, nullable, oneOf } from '../../v1/schemas/schema-builders.ts';
import { Storage } from '../../v1/schemas/storage.ts';
import { Upload } from '../../v1/schemas/upload.ts';
import { latestUsesShown, maxUsesCounted } from '../limits.ts';
import { idParams } from './ids.ts';

export const StorageDetail = closed(
  {
    object: Type.Literal('storage_detail'),
    storage: nullable(Storage, { description: 'Null while the studio cannot be asked.' }),
    temporary_bytes: Type.Integer({
      minimum: 0,
      description:
        'Of the uploads: masks and imports of single generations, which go by themselves within days.',
    }),
  },
  { title: 'StorageDetail' },
);
export type StorageDetail = Static<typeof StorageDetail>;

const UploadUse = closed(
  {
    id: Type.String({ description: 'Of the generation.' }),
    status: oneOf(generationStatuses),
  },
  { title: 'UploadUse' },
);

/** An upload in a row of a table. */
export const UploadRow = closed(
  {
    object: Type.Literal('upload_row'),
    upload: Upload,
    kept_until: nullable(Type.String({ format: 'date-time' }), {
      description: 'When it goes by itself; null while a generation that has not finished names it.',
    }),
    uses: closed({
      count: Type.Integer({
        minimum: 0,
        maximum: maxUsesCounted,
        description: `Generations that name it, counted up to ${maxUsesCounted}.`,
      }),
      latest: Type.Array(UploadUse, { maxItems: latestUsesShown }),
    }),
  },
  { title: 'UploadRow' },
);
export type UploadRow = Static<typeof UploadRow>;

export const UploadRowList = listOf('UploadRowList', UploadRow);
export const ListUploadRowsQuery = closed({ ...pageQuery });

/** The mask of an earlier request, available while a create may use it. */
export const StoredMask = closed(
  {
    object: Type.Literal('kept_mask'),
    id: Type.String({ description: 'Of the upload, as the request names it.' }),
    url: Type.String({ format: 'uri', description: 'White is what may change.' }),
  },
  { title: 'StoredMask' },
);

export const StoredMaskParams = idParams('the upload');
