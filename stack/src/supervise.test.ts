import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { backOffMs, countDeath, isHopeless } from './restart-policy.ts';
import { supervise } from './supervise.ts';

let directory: string;
before(async () => (directory = await mkdtemp(path.join(tmpdir(), 'renderkit-supervise-'))));
after(() => rm(directory, { recursive: true, force: true }));

const partNamed = (name: string) => ({
  name,
  entry: fileURLToPath(new URL(`../test/parts/${name}.ts`, import.meta.url)),
  environment: { DATA_DIR: directory },
  logDirectory: directory,
});

test('a part that dies five times in a row is given up with its last words', async () => {
  const deaths: string[] = [];
  await using part = supervise({ ...partNamed('hopeless'), onDeath: (reason) => deaths.push(reason) });
  const { message } = await part.failed;
  assert.match(message, /hopeless ended by exit code 3, 5 times in a row/);
  assert.match(message, /the moon is in the wrong quarter/);
  assert.equal(deaths.length, 4);
  await assert.rejects(part.ready);
});

test('a part that is stopped while it starts does not start again', async () => {
  const part = supervise(partNamed('worker'));
  await part[Symbol.asyncDispose]();
  assert.equal(part.pid(), undefined);
});

test('a part waits for what it needs, and deaths while that is away are not counted', async () => {
  const up = Promise.withResolvers<void>();
  const deaths: string[] = [];
  await using part = supervise({
    ...partNamed('hopeless'),
    needs: { isUp: () => deaths.length >= 2, whenUp: () => up.promise },
    onDeath: (reason) => deaths.push(reason),
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(part.pid(), undefined);
  up.resolve();
  await part.failed;
  assert.equal(deaths.length, 6);
});

test('a long life forgets earlier deaths, and the pause grows with the short ones', () => {
  assert.equal(countDeath(4, 9_999), 5);
  assert.equal(countDeath(4, 10_000), 0);
  assert.deepEqual(
    [4, 5].map((deaths) => isHopeless({ deaths, served: false })),
    [false, true],
  );
  assert.equal(isHopeless({ deaths: 500, served: true }), false);
  assert.deepEqual([0, 1, 2, 3, 4, 9].map(backOffMs), [100, 200, 400, 800, 1600, 5000]);
});
