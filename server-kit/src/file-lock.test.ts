import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { takeLock } from './file-lock.ts';

test('a lock is held by one, and free at once when its holder is killed', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-lock-'));
  const file = path.join(directory, 'lock');
  const module = new URL('file-lock.ts', import.meta.url).href;
  const script = `
    const { takeLock } = await import(${JSON.stringify(module)});
    globalThis.lock = await takeLock(${JSON.stringify(file)}, { waitMs: 0 });
    console.log('held');
    setInterval(() => undefined, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  assert.equal(await takeLock(file, { waitMs: 100 }), undefined);
  const gone = once(holder, 'exit');
  holder.kill('SIGKILL');
  await gone;
  const lock = await takeLock(file, { waitMs: 0 });
  assert.ok(lock !== undefined);
  lock[Symbol.dispose]();
  assert.deepEqual(await readdir(directory), ['lock']);
  await rm(directory, { recursive: true });
});
