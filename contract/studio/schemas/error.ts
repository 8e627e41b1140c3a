import { Type, type Static } from 'typebox';
import { refusalCodes } from '../errors.ts';
import { StorageUse } from '../storage.ts';
import { longText, oneOf, shortText } from './schema-builders.ts';

export const Refusal = Type.Object({
  code: oneOf(refusalCodes),
  message: longText,
  field: Type.Optional(shortText),
  /** With `storage_full`. */
  storage: Type.Optional(StorageUse),
});
export type Refusal = Static<typeof Refusal>;

export const StudioError = Type.Object({
  code: shortText,
  message: longText,
  retry_after: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
  /** With `storage_full`. */
  storage: Type.Optional(StorageUse),
  /** Only in administration: what is wrong with each field of the request. */
  errors: Type.Optional(Type.Array(Type.Object({ field: shortText, message: longText }), { maxItems: 50 })),
});
