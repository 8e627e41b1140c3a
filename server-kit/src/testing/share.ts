import { after } from 'node:test';

const opened: Promise<AsyncDisposable>[] = [];

// For the whole process, also where it runs several files: tools/test/run-group.ts loads this before the first of them.
after(async () => {
  for (const one of await Promise.allSettled(opened.toReversed()))
    if (one.status === 'fulfilled') await one.value[Symbol.asyncDispose]();
});

/**
 * One thing for all files of tests that share this process: the first that asks opens it, and it is disposed after the
 * last. Whoever uses it leaves it as it was, but for accounts of their own.
 */
export function share<Shared extends AsyncDisposable>(open: () => Promise<Shared>): () => Promise<Shared> {
  let shared: Promise<Shared> | undefined;
  return () => {
    if (shared === undefined) opened.push((shared = open()));
    return shared;
  };
}
