import { within } from '@renderkit/server-kit/work/within.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';

/** A storage that takes longer counts as missing. A storage that is only slow still works and is no fault. */
const maxLookMs = 10_000;
/** The pause from the end of a check to the next: each check costs requests to the storage. */
const pauseMs = 10_000;
/** A caller waits this long for the outcome of a running check, then gets the outcome of the previous one. */
const patienceMs = 500;
/**
 * The monitoring asks more often than this. An older outcome is not meaningful, so a caller waits longer for the new
 * one.
 */
const trustedForMs = 120_000;
const patienceWithoutOutcomeMs = 2_000;

/**
 * Creates a function that returns whether media can be stored and read now. `check` of the storage decides:
 * `blob-storage/src/s3/s3-blob-storage.ts` or `blob-storage/src/disk-blob-storage.ts`. A storage that hangs does not
 * delay repeated callers.
 */
export function createMediaLook(
  storage: Pick<BlobStorage, 'check'>,
  now: () => number = () => performance.now(),
): () => Promise<boolean> {
  let last: { isUp: boolean; at: number } | undefined;
  let looking: Promise<boolean> | undefined;

  const look = async () => {
    const isUp = await answers(storage);
    last = { isUp, at: now() };
    return isUp;
  };
  return async () => {
    const age = last === undefined ? Infinity : now() - last.at;
    if (last !== undefined && age < pauseMs) return last.isUp;
    looking ??= look().finally(() => (looking = undefined));
    const known = age < trustedForMs ? last?.isUp : undefined;
    const seen = await within(looking, known === undefined ? patienceWithoutOutcomeMs : patienceMs);
    return seen ?? known ?? false;
  };
}

async function answers(storage: Pick<BlobStorage, 'check'>): Promise<boolean> {
  const check = storage.check().then(
    () => true,
    () => false,
  );
  return (await within(check, maxLookMs)) ?? false;
}
