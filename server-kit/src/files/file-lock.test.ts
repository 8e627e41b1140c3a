import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { takeLock } from './file-lock.ts';

/** Starts a process that takes the lock of `file`, runs these statements, and then keeps running. */
async function holdElsewhere(file: string, statements = ''): Promise<ReturnType<typeof spawn>> {
  const module = new URL('file-lock.ts', import.meta.url).href;
  const script = `
    const { takeLock, tryLock } = await import(${JSON.stringify(module)});
    const file = ${JSON.stringify(file)};
    globalThis.lock = await takeLock(file, { waitMs: 0 });
    ${statements}
    console.log('held');
    setInterval(() => undefined, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  return holder;
}

async function kill(holder: ReturnType<typeof spawn>): Promise<void> {
  const gone = once(holder, 'exit');
  holder.kill('SIGKILL');
  await gone;
}

test('a lock is held by one, and free at once when its holder is killed', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-lock-'));
  const file = path.join(directory, 'lock');
  const holder = await holdElsewhere(file);
  assert.equal(await takeLock(file, { waitMs: 100 }), undefined);
  await kill(holder);
  const lock = await takeLock(file, { waitMs: 0 });
  assert.ok(lock !== undefined);
  lock[Symbol.dispose]();
  assert.deepEqual(await readdir(directory), ['lock']);
  await rm(directory, { recursive: true });
});

test('its holder keeps a lock that it tries to take once more', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-lock-'));
  const file = path.join(directory, 'lock');
  const holder = await holdElsewhere(file, `if (tryLock(file) !== undefined) process.exit(1);`);
  const taken = await takeLock(file, { waitMs: 0 });
  taken?.[Symbol.dispose]();
  await kill(holder);
  await rm(directory, { recursive: true });
  assert.equal(taken, undefined);
});
