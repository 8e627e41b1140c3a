// Runs the tests: `node tools/test/main.ts [--quick | --slow | --soak] [--name PATTERN] [--costs]
// [--processes N] [--media-store s3] [files or folders…]`.

import { glob, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compilePrograms } from '@renderkit/server-kit/testing/part.ts';
import { withCluster } from './cluster.ts';
import { expectedSeconds, isLong } from './group-files.ts';
import { runFiles } from './run-files.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Folders of the workspaces; tests lie nowhere else. */
const { workspaces } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
  workspaces: string[];
};

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
process.on('disconnect', () => stopping.abort());

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Leaves out tests that start servers. */
    quick: { type: 'boolean' },
    /**
     * Runs only tests that seldom find what other tests miss: kills, full disks, other people's programs, every page.
     */
    slow: { type: 'boolean' },
    /**
     * Runs the slow tests in full, and tests that take hours: all kill points, two hundred kills, clocks at their real
     * speed.
     */
    soak: { type: 'boolean' },
    /** Runs only the tests whose full name matches this regular expression. */
    name: { type: 'string' },
    /** Shows the costs of every file, not only of the slowest ones. */
    costs: { type: 'boolean' },
    /**
     * Number of test processes at a time. The default is two for each core, because tests wait for leases half of the
     * time. More than eight give no gain.
     */
    processes: { type: 'string', default: String(Math.min(8, 2 * availableParallelism())) },
    /** The storage of the studios' media: `disk`, or `s3` with a separate bucket for each studio. */
    'media-store': { type: 'string', default: 'disk' },
  },
});
if (values.soak) process.env['SOAK'] = '1';
else delete process.env['SOAK'];
process.env['TEST_MEDIA_STORE'] = values['media-store'];
const chosen = await chooseFiles(positionals);
const refusal = !['disk', 's3'].includes(values['media-store'])
  ? '--media-store must be disk or s3.'
  : chosen.length === 0
    ? 'There are no test files there.'
    : undefined;
if (refusal !== undefined) {
  console.error(refusal);
  process.exitCode = 1;
} else
  process.exitCode = await withCluster(async (url, directory) => {
    if (chosen.some(isHeavy)) await compilePrograms({ tests: true });
    return runFiles(chosen, {
      root,
      url,
      directory,
      processesAtOnce: Number(values.processes),
      namePattern: values.name,
      showAllCosts: values.costs ?? false,
      soak: values.soak ?? false,
      signal: stopping.signal,
    });
  });
if (process.connected) process.disconnect();

async function chooseFiles(wanted: string[]): Promise<string[]> {
  const patterns = (wanted.length > 0 ? wanted : workspaces).map((name) =>
    name.endsWith('.ts') ? name : `${name.replace(/\/$/, '')}/**/*.test.ts`,
  );
  const found: string[] = [];
  for await (const file of glob(patterns, { cwd: root, exclude: (name) => name.includes('node_modules') }))
    found.push(file);
  return found.filter(isWanted).sort((a, b) => expectedSeconds(b) - expectedSeconds(a) || (a < b ? -1 : 1));
}

function isWanted(file: string): boolean {
  if (values.soak) return isLong(file);
  if (file.endsWith('.soak.test.ts')) return false;
  if (values.slow) return isLong(file);
  if (values.quick) return !isHeavy(file);
  return !isLong(file) || positionals.includes(file);
}

/** Returns whether --quick leaves out a file: servers over HTTP, the whole product, images. */
function isHeavy(file: string): boolean {
  return isLong(file) || /^(e2e|[a-z-]+\/test|engines)\//.test(file);
}
