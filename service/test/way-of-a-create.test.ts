import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startTestService } from './harness.ts';
import { scriptRenders } from './scripted-renders.ts';

const root = path.resolve(import.meta.dirname, '../..');
const maxFiles = 25;

const [way = '', others = ''] = read('docs/way-of-a-create.md').split('## What else runs');
const listed = [...way.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file as string);
const beside = [...others.matchAll(/`([^`]+\.ts)`/g)].map(([, file]) => file as string);
/** Files that run only at the start, or only for creates with an Idempotency-Key. */
const notRunEachTime = ['service/src/app.ts', 'service/src/validation/compile-check.ts'];

test('the way of a create is a short list of files that are there', () => {
  assert.ok(listed.length > 0 && listed.length <= maxFiles, `${listed.length} files`);
  assert.equal(new Set(listed).size, listed.length);
  assert.deepEqual(
    listed.filter((file) => !existsSync(path.join(root, file))),
    [],
  );
});

test('the architecture names the same files in the same order', () => {
  const [, paragraph = ''] =
    /The files from its socket to its SQL([\s\S]*?)\n\n/.exec(read('docs/ARCHITECTURE.md')) ?? [];
  const [, ...named] = [...paragraph.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
  const short = (file: string) => file.replace(/^service\/(?:src\/)?/, '').replace(/\.ts$/, '');
  assert.deepEqual(named, listed.map(short));
});

test('each file on the way of a create is reached from one before it', () => {
  const reached = new Set(filesNamedBy(listed[0] as string));
  for (const file of listed.slice(1)) {
    assert.ok(reached.has(file) || isCalledBefore(file), `nothing before it leads to ${file}`);
    for (const next of filesNamedBy(file)) reached.add(next);
  }
});

test('a create runs through the files of the list, and beside them through those that it names', async () => {
  await using service = await startTestService({ reconcileMs: 3_600_000 });
  const studio = scriptRenders(service.studio);
  service.studio.balance.lifetime_millicredits = 1_000_000;
  // Nothing is dispatched: a dispatch runs other files.
  const full = { limit: 0, running: 0, running_elsewhere: 0 };
  studio.limits = { overall: full, image: full, edit: full, video: full };
  const key = await service.createKey();
  const create = async () => {
    const body = { prompt: 'a lake', model: 'plain' };
    const { status } = await service.ask('/v1/images/generations', { method: 'POST', key, body });
    assert.equal(status, 202);
  };
  // The first creates fill the caches.
  for (let n = 0; n < 3; n++) await create();
  const run = await filesRunBy(create);
  const short = (files: readonly string[]) => files.filter((file) => file.endsWith('.ts')).sort();
  assert.deepEqual(
    run.filter((file) => !listed.includes(file) && !beside.includes(file)),
    [],
    'these run and are not in docs/way-of-a-create.md',
  );
  assert.deepEqual(
    short(listed).filter((file) => !run.includes(file) && !notRunEachTime.includes(file)),
    [],
    'these are in the list and do not run',
  );
});

/** Returns our files that run each time that `act` does, and that do not run while the service is idle. */
async function filesRunBy(act: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const filesSince = async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return result.flatMap(({ url, functions }) =>
        url.startsWith('file:') && functions.some(({ ranges }) => ranges[0]?.count)
          ? [path.relative(root, fileURLToPath(url)).replaceAll(path.sep, '/')]
          : [],
      );
    };
    await filesSince();
    await sleep(500);
    const always = await filesSince();
    // Code that runs every few seconds appears in one of these rounds, not in all.
    const rounds: string[][] = [];
    for (let n = 0; n < 4; n++) {
      await act();
      rounds.push(await filesSince());
    }
    const [first = [], ...more] = rounds;
    return first.filter(
      (file) =>
        more.every((round) => round.includes(file)) &&
        !always.includes(file) &&
        !/^node_modules|\/test(?:ing)?\//.test(file),
    );
  } finally {
    session.disconnect();
  }
}

/** Returns the files from which a module imports values or classes, relative to the root. */
function filesNamedBy(file: string): string[] {
  if (!file.endsWith('.ts')) return [];
  return [...read(file).matchAll(/from '([^']+\.ts)'/g)].map(([, name = '']) =>
    name.startsWith('.')
      ? path.posix.join(path.posix.dirname(file), name)
      : name.replace('@renderkit/contract/', 'contract/'),
  );
}

/** Returns whether an earlier file calls this SQL function by its name. */
function isCalledBefore(file: string): boolean {
  if (!file.endsWith('.sql')) return false;
  const name = path.basename(file, '.sql');
  return listed.slice(0, listed.indexOf(file)).some((before) => read(before).includes(`${name}(`));
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}
