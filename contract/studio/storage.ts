import { Type, type Static } from 'typebox';

const bytes = Type.Integer({ minimum: 0, maximum: 1e15 });

/**
 * The storage of the account. `used_bytes` is the sum of `uploads_bytes` and `outputs_bytes` and may exceed the limit.
 * `studio/src/storage/reserve.ts` refuses what does not fit.
 */
export const StudioStorage = Type.Object({
  used_bytes: bytes,
  limit_bytes: bytes,
  /** Files that were uploaded or imported, including hidden ones. */
  uploads_bytes: bytes,
  /** Library items and frames. */
  outputs_bytes: bytes,
});
export type StudioStorage = Static<typeof StudioStorage>;

/** The used storage and the limit, sent with a refusal because of storage. */
export const StorageUse = Type.Pick(StudioStorage, ['used_bytes', 'limit_bytes']);
export type StorageUse = Static<typeof StorageUse>;
