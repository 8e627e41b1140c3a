import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import { unauthorized } from '../../admission/admit.ts';
import { type GenerationRow, generationText } from '../present.ts';
import { noSuchGeneration } from '../reads/read-generation.ts';
import { readAwaited, readUnusableKeys } from '../reads/store.ts';
import { isFinal } from '../settle/status.ts';
import type { Waiter } from './waiter.ts';

type Asked = { id: string; accountId: string; keyId: string };

const batches = { maxSize: 512, maxInFlight: 2, isHopeless: isDatabaseUnavailable };

/**
 * Makes the verb that waits, by a registered waiter, for the end of a generation or of the waiting, and answers with
 * the generation's text. It reads after it was registered, so nothing settles unseen in between.
 * @throws ApiProblem `not_found`; `unauthorized` once the key is revoked
 */
export function createAwaitGeneration(database: Database) {
  const read = createBatcher<Asked, { usable: boolean; row: GenerationRow | undefined }>({
    ...batches,
    run: (asked) => readAwaited(database, asked),
  });
  const isUsable = createBatcher<string, boolean>({
    ...batches,
    run: async (keyIds) => {
      const unusable = new Set(await readUnusableKeys(database, [...new Set(keyIds)]));
      return keyIds.map((keyId) => !unusable.has(keyId));
    },
  });
  return async (asked: Asked, waiter: Waiter, gone: () => AbortSignal): Promise<string> => {
    for (;;) {
      const { usable, row } = await read(asked);
      if (!usable) throw unauthorized();
      if (row === undefined) throw noSuchGeneration();
      if (waiter.over || isFinal(row.status)) return generationText(row);
      waiter.watch(gone());
      await waiter.woken();
      // That it is the account's own was seen above; the key may have been revoked since.
      if (waiter.text === undefined) continue;
      if (!(await isUsable(asked.keyId))) throw unauthorized();
      return waiter.text;
    }
  };
}
