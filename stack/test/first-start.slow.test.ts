import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { claimPort } from '../src/ports.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
/** The tests paste the snippet into sh. On Windows, users paste it into a shell that understands it. */
const unixOnly = { skip: process.platform === 'win32' };
const readyWithinMs = 90_000;

let directory: string;
let environment: NodeJS.ProcessEnv;
before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-first-'));
  await chmod(directory, 0o711);
  const port = () => claimPort({ name: 'PORT', host: '127.0.0.1', port: 0, waitMs: 0 });
  environment = {
    ...inheritedEnvironment(),
    DATA_DIR: path.join(directory, 'data'),
    PORT: String(await port()),
    STUDIO_PORT: String(await port()),
  };
});
const children: ChildProcess[] = [];
after(async () => {
  // Children of a test that failed half-way.
  for (const child of children) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true, maxRetries: 50, retryDelay: 200 });
});

test(
  'a new user pastes what the first start prints and holds a picture; later starts print no secret',
  unixOnly,
  async () => {
    const first = await start();
    const screen = first.output();
    const key = /API key \(shown once\): (rk_live_\S+)/.exec(screen)?.[1] ?? '';
    assert.match(screen, /E-mail +demo@renderkit\.local\n +Password +\S{12,}/);
    assert.ok(screen.indexOf(key) < screen.indexOf('Ready after'));
    const snippet = /^KEY=[^]*picture\.png"$/m.exec(screen)?.[0] ?? '';
    await run('sh', ['-c', snippet], { cwd: directory, timeout: 60_000 });
    const picture = await readFile(path.join(directory, 'picture.png'));
    assert.equal(picture.subarray(1, 4).toString(), 'PNG');
    assert.equal(await secretOnDisk(key), false);

    // Neither the launcher's parent nor the parts are informed.
    first.process.kill('SIGKILL');
    const second = await start();
    assert.doesNotMatch(second.output(), /rk_live_|Password/);
    const answer = await fetch(`http://127.0.0.1:${environment['PORT']}/v1/account`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    assert.equal(answer.status, 200);
    second.process.kill('SIGTERM');
    assert.deepEqual(await once(second.process, 'exit'), [0, null]);
  },
);

type Started = { process: ChildProcess; output: () => string };

/** Starts everything as `npm start` does and waits until it reports that it is ready. */
async function start(): Promise<Started> {
  const child = spawn(process.execPath, ['stack/launch.mjs', 'stack/src/main.ts'], {
    cwd: root,
    env: environment,
  });
  children.push(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const deadline = performance.now() + readyWithinMs;
  while (!output.includes('Ready after')) {
    assert.ok(child.exitCode === null && performance.now() < deadline, output);
    await sleep(50);
  }
  return { process: child, output: () => output };
}

/** Returns whether the secret part of a key is stored anywhere under the data directory. */
async function secretOnDisk(key: string): Promise<boolean> {
  assert.ok((await stat(environment['DATA_DIR'] ?? '')).isDirectory());
  const secret = key.split('_').at(-1) ?? '';
  return run('grep', ['-rqF', secret, environment['DATA_DIR'] ?? '']).then(
    () => true,
    () => false,
  );
}
