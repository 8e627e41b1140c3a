import { within } from '@renderkit/server-kit/work/within.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';

/** What is not there now, though the service needs it for some of its requests. */
export type MissingPart = 'studio' | 'worker';

/** A look takes this long at most; whoever asks meanwhile waits less, and is told of the last one. */
const lookTimeoutMs = 3_000;
const patienceMs = 500;
/** An older look tells nothing of now. */
const trustedForMs = 10_000;

/**
 * Makes the question what is missing. It is asked of the studio, by one call at a time; a studio that hangs delays nobody
 * who asks by more than half a second. One that does not tell of its workers has them.
 */
export function createMissingParts(
  studio: Pick<StudioClient, 'call'>,
): () => Promise<readonly MissingPart[]> {
  let last: { missing: readonly MissingPart[]; at: number } | undefined;
  let looking: Promise<readonly MissingPart[]> | undefined;

  const look = async () => {
    const missing = await askStudio(studio);
    last = { missing, at: performance.now() };
    return missing;
  };
  return async () => {
    looking ??= look().finally(() => (looking = undefined));
    const seen = await within(looking, patienceMs);
    if (seen !== undefined) return seen;
    return last !== undefined && performance.now() - last.at < trustedForMs ? last.missing : ['studio'];
  };
}

async function askStudio(studio: Pick<StudioClient, 'call'>): Promise<readonly MissingPart[]> {
  try {
    const { workers_alive: workers } = await studio.call('getMetadata', { timeoutMs: lookTimeoutMs });
    return workers === 0 ? ['worker'] : [];
  } catch {
    return ['studio'];
  }
}
