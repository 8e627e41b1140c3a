import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../postgres/start-postgres.ts';

export type OwnPostgres = AsyncDisposable & {
  urlFor: (database: string) => string;
  kill: () => Promise<void>;
};

/** Starts a cluster below the directory, with empty databases `service` and `studio`. */
export async function startOwnPostgres(directory: string): Promise<OwnPostgres> {
  const postgres = await startPostgres({ dataDirectory: directory, databases: ['service', 'studio'] });
  return {
    urlFor: postgres.urlFor,
    kill: () => killPostmaster(path.join(postgres.clusterDirectory, 'postmaster.pid')),
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
  };
}

const postmasterWithinMs = 30_000;

/** Kills the postmaster that serves. Waits for one that is starting, so that an outdated process id is never killed. */
async function killPostmaster(pidFile: string): Promise<void> {
  const deadline = performance.now() + postmasterWithinMs;
  while (performance.now() < deadline) {
    const lines = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n');
    const pid = Number(lines[0]);
    if (lines[7]?.trim() === 'ready' && pid > 1 && sendSignal(pid, 0)) {
      sendSignal(pid, 'SIGKILL');
      return;
    }
    await sleep(50);
  }
  throw new Error('PostgreSQL did not come up to be killed again');
}

/** Returns `false` when there is no such process. */
function sendSignal(pid: number, signal: 0 | 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
