import { within } from '@renderkit/server-kit/work/within.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';

/** A storage that takes longer counts as missing; one that is slow does its work, and is no fault. */
const maxLookMs = 10_000;
/** From the end of a look to the next: each costs requests to the storage. */
const pauseMs = 10_000;
/** Whoever asks during a look waits this long for its outcome, and gets that of the look before. */
const patienceMs = 500;
/** Whoever watches asks more often: an outcome that is older says nothing, and the new one is worth waiting for. */
const trustedForMs = 120_000;
const patienceWithoutOutcomeMs = 2_000;

/** Makes the question whether media can be stored and read now. A storage that hangs delays nobody who asks again and again. */
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
