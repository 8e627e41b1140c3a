import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { startPlatform } from '@renderkit/stack/testing/platform.ts';
import { packClient, packInto } from '../sdk/pack.ts';

const run = promisify(execFile);

test('the README of the packed command line does what it says', async () => {
  await using platform = await startPlatform({ smallPictures: true });
  const key = await platform.createKey(await platform.createAccount({ tier: 'pro', credits: 5_000 }));
  await using project = await packClient();
  const installed = await packInto(project.folder, 'clients/cli', '@renderkit/cli');
  const program = path.join(installed, 'dist/main.js');
  const commands = path.join(project.folder, 'bin');
  await mkdir(commands);
  await symlink(program, path.join(commands, 'renderkit'));
  await symlink(process.execPath, path.join(commands, 'node'));
  const readme = await readFile(path.join(installed, 'README.md'), 'utf8');
  const [, example = ''] = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block);
  const inherited = inheritedEnvironment();
  await run('bash', ['-euo', 'pipefail', '-c', example], {
    cwd: project.folder,
    env: {
      ...inherited,
      RENDERKIT_BASE_URL: platform.serviceUrls[0] ?? '',
      RENDERKIT_API_KEY: key,
      PATH: `${commands}:${inherited['PATH']}`,
      XDG_CONFIG_HOME: project.folder,
    },
  });
  const files = [
    'lighthouse.png',
    'map.png',
    'boat.mp4',
    'winter.png',
    'clouds.png',
    'boats.csv.results.csv',
  ];
  for (const file of files) assert.ok((await stat(path.join(project.folder, file))).size > 50, file);
  assert.equal((await readdir(path.join(project.folder, 'boats'))).length, 2);
  const { version } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')) as {
    version: string;
  };
  assert.equal((await run(process.execPath, [program, '--version'])).stdout.trim(), version);
  const unexpected = (await readdir(installed)).filter(
    (name) => !['LICENSE', 'README.md', 'dist', 'package.json'].includes(name),
  );
  assert.deepEqual(unexpected, []);
});
