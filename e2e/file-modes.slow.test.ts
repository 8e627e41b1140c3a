import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { readStackConfig } from '@renderkit/stack/config.ts';
import { commands } from '@renderkit/stack/operator/commands.ts';
import { runOperator } from '@renderkit/stack/operator/run-operator.ts';
import { createScreen } from '@renderkit/stack/screen.ts';
import { startStack } from '@renderkit/stack/start-stack.ts';
import sharp from 'sharp';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';

const skip = process.platform === 'win32' && 'Windows has no modes';

let root: string;
let umask: number;
before(async () => {
  // The parts inherit this umask, which removes no permissions: no part may rely on the umask.
  umask = process.umask(0);
  root = await mkdtemp(path.join(tmpdir(), 'renderkit-modes-'));
  await chmod(root, 0o711);
});
after(async () => {
  process.umask(umask);
  await rm(root, { recursive: true, force: true, maxRetries: 50, retryDelay: 200 });
});

test(
  'what the stack writes is for its user alone, and so is what earlier versions left open',
  { skip },
  async () => {
    const dataDirectory = path.join(root, 'data');
    const folder = path.join(dataDirectory, 'media', 'ab', 'ab'.padEnd(32, 'c'));
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await mkdir(path.join(dataDirectory, 'logs'), { mode: 0o755 });
    const old = [
      'media/ab',
      path.relative(dataDirectory, folder),
      'moderation.json',
      'lock-holder',
      'logs/studio.log.1',
    ];
    await writeFile(path.join(folder, 'ast_1.png'), 'of an earlier version', { mode: 0o644 });
    await writeFile(path.join(dataDirectory, 'moderation.json'), '{"rules": []}', { mode: 0o644 });
    for (const name of ['lock-holder', 'logs/studio.log.1'])
      await writeFile(path.join(dataDirectory, name), 'nobody', { mode: 0o644 });
    for (const name of old) assert.notEqual((await lstat(path.join(dataDirectory, name))).mode & 0o077, 0);

    const temporary = path.join(root, 'tmp');
    await mkdir(temporary, { mode: 0o777 });
    const environment = {
      ...inheritedEnvironment(),
      DATA_DIR: dataDirectory,
      PORT: '0',
      STUDIO_PORT: '0',
      DEMO: 'off',
      TMPDIR: temporary,
      INIT_CWD: root,
    };
    const quiet = () => undefined;
    const screen = { ...createScreen(process.stdout), line: quiet, heading: quiet, problem: quiet };
    await using stack = await startStack(readStackConfig(environment), {
      screen,
      signal: new AbortController().signal,
    });
    const operator = async (line: string) =>
      JSON.parse((await runOperator(commands, [...line.split(' '), '--json'], environment)).text) as {
        key: string;
      };
    await operator('account create --email ada@example.org --credits 100');
    const { key } = await operator(
      'key create --email ada@example.org --name k --scopes read,generate,uploads',
    );
    await makeMedia(stack.addresses.service, key);
    await operator('backup --to all.backup');
    await until('the walk over old media', async () =>
      (await readdir(dataDirectory)).includes('media-closed'),
    );

    assert.equal((await lstat(dataDirectory)).mode & 0o777, directoryMode(''));
    assert.deepEqual(await openToOthers(dataDirectory), []);
    assert.deepEqual(await openToOthers(temporary), []);
    assert.equal((await lstat(path.join(root, 'all.backup'))).mode & 0o777, 0o600);
  },
);

/** Makes a generated image and an upload. */
async function makeMedia(service: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#456' } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.set('file', new Blob([png], { type: 'image/png' }), 'plain.png');
  const uploaded = await fetch(`${service}/v1/uploads`, { method: 'POST', headers, body: form });
  assert.equal(uploaded.status, 201, await uploaded.text());
  const created = await fetch(`${service}/v1/images/generations`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'a mountain above a calm lake' }),
  });
  const { id } = (await created.json()) as { id: string };
  await until('the image', async () => {
    const answer = await fetch(`${service}/v1/generations/${id}?wait=20`, { headers });
    return ((await answer.json()) as { status: string }).status === 'succeeded';
  });
}

/** Returns what other users than the owner may read, write, list or enter below a directory, with its mode. */
async function openToOthers(directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(directory, { recursive: true })) {
    // A part may have removed the file just now.
    const stats = await lstat(path.join(directory, name)).catch(() => undefined);
    if (stats === undefined) continue;
    const mode = stats.mode & 0o777;
    if (stats.isDirectory() ? mode !== directoryMode(name) : (mode & 0o077) !== 0)
      found.push(`${name} ${mode.toString(8)}`);
  }
  return found;
}

/**
 * When this runs as root, PostgreSQL runs under another account. That account enters the data directory and this one,
 * and reads neither.
 */
function directoryMode(name: string): number {
  return process.getuid?.() === 0 && (name === '' || name === 'postgres') ? 0o711 : 0o700;
}
