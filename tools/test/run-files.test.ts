import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const onLinux = { skip: process.platform !== 'linux' };

test('a run that is ended ends, though a test has frozen a process', onLinux, async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-run-'));
  try {
    const note = path.join(directory, 'frozen');
    await writeFile(
      path.join(directory, 'freezing.test.ts'),
      `import { spawn } from 'node:child_process';
       import { writeFileSync } from 'node:fs';
       import { test } from 'node:test';
       test('freezes', async () => {
         const child = spawn('sleep', ['600'], { stdio: 'inherit' });
         process.kill(child.pid, 'SIGSTOP');
         writeFileSync(${JSON.stringify(note)}, String(child.pid));
         await new Promise(() => setInterval(() => undefined, 1_000));
       });`,
    );
    const program = path.join(directory, 'run.ts');
    await writeFile(
      program,
      `import { runFiles } from ${JSON.stringify(path.join(import.meta.dirname, 'run-files.ts'))};
      const stopping = new AbortController();
      process.on('SIGTERM', () => stopping.abort());
      process.exitCode = await runFiles(['freezing.test.ts'], {
        root: ${JSON.stringify(directory)}, url: '', directory: ${JSON.stringify(directory)}, processesAtOnce: 1,
        namePattern: undefined, showAllCosts: false, soak: false, signal: stopping.signal,
      });`,
    );
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const run = spawn(process.execPath, [program], {
      detached: true,
      stdio: 'ignore',
      env,
    });
    const ended = once(run, 'exit');
    while (!existsSync(note) || readFileSync(note, 'utf8') === '') {
      assert.equal(run.exitCode, null);
      await sleep(50);
    }
    const frozen = Number(readFileSync(note, 'utf8'));
    run.kill('SIGTERM');
    assert.deepEqual(await ended, [1, null]);
    // The process is gone, or is a zombie until its new parent has waited for it.
    const stat = await readFile(`/proc/${frozen}/stat`, 'utf8').catch(() => ') Z');
    assert.match(stat, /\) [ZX]/);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
