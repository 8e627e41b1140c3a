import { after } from 'node:test';

const opened: Promise<AsyncDisposable>[] = [];

// Runs at the end of the process, even when it runs several files: tools/test/run-group.ts loads this before the first
// file.
after(async () => {
  for (const one of await Promise.allSettled(opened.toReversed()))
    if (one.status === 'fulfilled') await one.value[Symbol.asyncDispose]();
});

/**
 * Shares one resource between all test files of this process. The first caller opens it; it is disposed after the last
 * file. Users must leave it as they found it, except for accounts that they add.
 */
export function share<Shared extends AsyncDisposable>(open: () => Promise<Shared>): () => Promise<Shared> {
  let shared: Promise<Shared> | undefined;
  return () => {
    if (shared === undefined) opened.push((shared = open()));
    return shared;
  };
}
