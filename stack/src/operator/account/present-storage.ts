import type { AccountRow } from '@renderkit/studio/operator.ts';

/** Returns what an account stores, in bytes, and who set its limit. */
export function presentStorage({ storage, storage_set }: AccountRow) {
  return { ...storage, limit_from: storage_set ? 'operator' : 'plan' };
}

const megabyte = 1024 * 1024;

/** Returns the same as a line for a person. */
export function storageLine({ storage, storage_set }: AccountRow): string {
  const megabytes = (bytes: number) => (bytes / megabyte).toFixed(1);
  const { used_bytes: used, limit_bytes: limit, uploads_bytes: uploads, outputs_bytes: outputs } = storage;
  return (
    `${megabytes(used)} of ${megabytes(limit)} MB (uploads ${megabytes(uploads)}, outputs ${megabytes(outputs)}; ` +
    `the limit is the ${storage_set ? "operator's" : "plan's"})`
  );
}
