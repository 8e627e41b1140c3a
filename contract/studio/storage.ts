import { Type, type Static } from 'typebox';

const bytes = Type.Integer({ minimum: 0, maximum: 1e15 });

/** What the account stores: `used_bytes` is the sum of the other two and may lie beyond the limit. */
export const StudioStorage = Type.Object({
  used_bytes: bytes,
  limit_bytes: bytes,
  /** Files that were sent or imported, hidden ones included. */
  uploads_bytes: bytes,
  /** Items of the library, and frames. */
  outputs_bytes: bytes,
});
export type StudioStorage = Static<typeof StudioStorage>;

/** What is used of how much, beside a refusal for it. */
export const StorageUse = Type.Pick(StudioStorage, ['used_bytes', 'limit_bytes']);
export type StorageUse = Static<typeof StorageUse>;
