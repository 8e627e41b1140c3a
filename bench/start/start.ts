import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Bench, Result } from '../benchmark.ts';
import { createGeneration } from '../create-generation.ts';
import { freePort, originOf } from '../platform.ts';
import { boundResult } from '../present.ts';
import { median } from '../statistics.ts';
import { startStack } from './start-stack.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
/** Seconds. */
const goals = { fresh: 25, warm: 2, operator: 0.3, picture: 1 };

type Measured = Record<'fresh' | 'warm' | 'operator' | 'npm' | 'picture', number[]>;

/**
 * Measures the first minutes of a new user: from a clone of the last commit, with npm's cache of this machine, to the
 * first picture. Then measures a start and a command. Wall-clock seconds.
 */
export async function start(bench: Bench): Promise<Result[]> {
  const measured: Measured = { fresh: [], warm: [], operator: [], npm: [], picture: [] };
  // An installation takes half a minute: so there are fewer rounds of it.
  const clones = bench.quick ? 1 : Math.min(3, bench.rounds);
  for (let clone = 1; clone <= clones; clone++) {
    await measureClone(bench, measured);
    bench.say(`  clone ${clone}: ${JSON.stringify(measured, (_, value) => rounded(value))}`);
  }
  const row = (name: string, times: number[], goal: number, beside = '') => {
    const half = median(times);
    return boundResult({
      name: `start, ${name}`,
      ours: `${half.toFixed(2)} s${beside}`,
      spread: `${Math.min(...times).toFixed(2)}–${Math.max(...times).toFixed(2)} s`,
      goal: `${goal} s or less`,
      met: half <= goal,
    });
  };
  return [
    row('fresh clone to ready', measured.fresh, goals.fresh),
    row('warm start to ready', measured.warm, goals.warm),
    row(
      'operator command',
      measured.operator,
      goals.operator,
      `, of which npm alone takes ${median(measured.npm).toFixed(2)} s`,
    ),
    row('first picture after the paste', measured.picture, goals.picture),
  ];
}

async function measureClone(bench: Bench, measured: Measured): Promise<void> {
  await using owners = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-start-'));
  owners.defer(() => rm(directory, { recursive: true, force: true }));
  // PostgreSQL's own account must be able to enter the directory.
  await chmod(directory, 0o755);
  execFileSync('git', ['clone', '--quiet', root, directory]);
  const port = await freePort();
  const environment = { ...outside(), PORT: String(port), STUDIO_PORT: String(await freePort()) };
  {
    await using first = await startStack(directory, environment);
    measured.fresh.push(first.seconds);
    const key = /rk_live_\w+/.exec(first.said())?.[0];
    if (key === undefined) throw new Error('the first start printed no key');
    measured.picture.push(await timed(() => makePicture(originOf(port), key)));
    await measureCommands(bench, { directory, environment }, measured);
  }
  for (let round = 1; round <= bench.rounds; round++) {
    await using again = await startStack(directory, environment);
    measured.warm.push(again.seconds);
  }
}

/** Does what the lines do that the first start prints. */
async function makePicture(url: string, key: string): Promise<void> {
  const id = await createGeneration(url, key, 'a mountain above a calm lake at sunset');
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/v1/generations/${id}?wait=60`, { headers });
  const { outputs } = (await answer.json()) as { outputs: { url: string }[] };
  const picture = await fetch(outputs[0]?.url ?? '');
  if (!picture.ok) throw new Error(`the picture was answered ${picture.status}`);
  await picture.arrayBuffer();
}

type Clone = { directory: string; environment: Record<string, string> };

async function measureCommands(
  { rounds }: Bench,
  { directory, environment }: Clone,
  measured: Measured,
): Promise<void> {
  const nothing = await mkdtemp(path.join(tmpdir(), 'renderkit-npm-'));
  try {
    await writeFile(path.join(nothing, 'package.json'), JSON.stringify({ scripts: { nothing: 'true' } }));
    const npm = (cwd: string, ...words: string[]) =>
      timed(() => run('npm', ['run', '-s', ...words], { cwd, env: environment }));
    const list = () => npm(directory, 'operator', '--', 'account', 'list');
    // The first call stores its compiled code.
    await list();
    for (let round = 1; round <= rounds; round++) {
      measured.npm.push(await npm(nothing, 'nothing'));
      measured.operator.push(await list());
    }
  } finally {
    await rm(nothing, { recursive: true, force: true });
  }
}

/** Returns how long the work took, in seconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

/**
 * Returns the environment without the variables and paths of npm and of this run's launcher, such as the tree's own
 * Node.
 */
function outside(): Record<string, string> {
  const inner = /^(?:npm_|NODE_|COMPILED_PROGRAMS$|INIT_CWD$)/;
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || inner.test(name) ? [] : [[name, value] as const],
  );
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const PATH = folders.filter((folder) => !folder.includes('node_modules')).join(path.delimiter);
  return { ...Object.fromEntries(kept), PATH };
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toFixed(2)) : value;
}
