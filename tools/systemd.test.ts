// Tests deploy/systemd: systemd accepts the units, and each unit gives its part exactly the variables that it needs.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';
import { assertEnvironment, assertKnown, assertSameMedia, partNames } from './part-environments.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..');
const folder = path.join(root, 'deploy/systemd');
const unitOf = (part: string) => readFile(path.join(folder, `renderkit-${part}.service`), 'utf8');
const valuesOf = (unit: string, key: string) =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

/** Returns the settings `NAME=value` of a text. */
const settingsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(?:^|\s)(\w+)=(\S*)/g)].map(([, name, value]) => [name, value]));

describe('deploy/systemd', () => {
  test('what all units are given is read by some part', async () => {
    const text = await readFile(path.join(folder, 'renderkit.env'), 'utf8');
    assertKnown(settingsOf(text.replaceAll(/^#.*$/gm, '')));
  });

  test('the service is told where media lie, as the studio is', async () => {
    const [service, studio] = await Promise.all(
      ['service', 'studio'].map(async (part) => {
        const unit = await unitOf(part);
        const files = valuesOf(unit, 'EnvironmentFile').map((file) => path.join(folder, path.basename(file)));
        const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
        return settingsOf([...texts, ...valuesOf(unit, 'Environment')].join('\n').replaceAll(/^#.*$/gm, ''));
      }),
    );
    assertSameMedia(service!, studio!);
  });

  for (const part of partNames) {
    test(`the unit of the ${part} gives it what it needs, and secrets as credentials`, async () => {
      const unit = await unitOf(part);
      const text = await readFile(path.join(folder, 'renderkit.env'), 'utf8');
      const given = settingsOf(valuesOf(unit, 'Environment').join('\n'));
      await assertEnvironment(part, given, settingsOf(text.replaceAll(/^#.*$/gm, '')));
      const files = Object.entries(given).filter(([name]) => name.endsWith('_FILE'));
      const credentials = valuesOf(unit, 'LoadCredential').map((line) => line.split(':')[0]);
      assert.deepEqual(
        files.map(([, file]) => file),
        credentials.map((name) => `%d/${name}`),
      );
    });

    test(`the unit of the ${part} starts what npm starts, and writes to its own folders alone`, async () => {
      const unit = await unitOf(part);
      const { scripts } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
        scripts: Record<string, string>;
      };
      assert.deepEqual(valuesOf(unit, 'ExecStart'), [`/usr/bin/${scripts[part]}`]);
      for (const line of [
        'ProtectSystem=strict',
        'NoNewPrivileges=yes',
        'CapabilityBoundingSet=',
        'User=renderkit',
      ])
        assert.ok(unit.includes(`\n${line}\n`), line);
    });
  }

  const analyze = findProgram('systemd-analyze');
  test(
    'systemd takes the units',
    { skip: analyze === undefined && 'there is no systemd-analyze' },
    async (t) => {
      const version = Number(/\d+/.exec((await run(analyze ?? '', ['--version'])).stdout)?.[0]);
      if (version < 250) return t.skip('this systemd is older than 250 and knows no %d');
      const copies = await mkdtemp(path.join(tmpdir(), 'renderkit-units-'));
      try {
        // systemd-analyze also looks for the program, which has another path on some machines.
        for (const part of partNames)
          await writeFile(
            path.join(copies, `renderkit-${part}.service`),
            (await unitOf(part)).replace('/usr/bin/node', process.execPath),
          );
        const units = partNames.map((part) => path.join(copies, `renderkit-${part}.service`));
        const { stdout, stderr } = await run(analyze ?? '', ['verify', '--man=no', ...units]);
        const ours = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('renderkit'));
        assert.deepEqual(ours, []);
      } finally {
        await rm(copies, { recursive: true });
      }
    },
  );
});
