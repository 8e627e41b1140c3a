import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { killGroup } from './kill-group.ts';
import { groupFiles, writeGroup } from './group-files.ts';

export type RunOptions = {
  root: string;
  /** URL of the superuser, for the cluster in which tests create their databases. */
  url: string;
  /** Directory for files of the run. */
  directory: string;
  processesAtOnce: number;
  namePattern: string | undefined;
  showAllCosts: boolean;
  soak: boolean;
  signal: AbortSignal;
};

/** Time limits of a file and of a group. Without a limit, a hanging file would block the whole run. */
const timeoutMs = { file: 600_000, group: 1_200_000, soak: 3_600_000 };
/** Processes that still run this long after the end of the run are killed. */
const endWithinMs = 5_000;
/** With at least this many files, files share processes where they can. */
const groupedFrom = 20;
/** Number of files whose costs are shown at the end of a run, so that slow files are noticed. */
const slowestShown = 10;

/** Runs test files and shows their results. Returns the exit code. */
export async function runFiles(files: string[], options: RunOptions): Promise<number> {
  const { root, directory } = options;
  const cpuFile = path.join(directory, 'cpu');
  process.env['TEST_POSTGRES_URL'] = options.url;
  process.env['TEST_CPU_FILE'] = cpuFile;
  const tests = run({
    files: await programsOf(files, options, cpuFile),
    cwd: root,
    concurrency: options.processesAtOnce,
    timeout: timeoutMs[options.soak ? 'soak' : 'group'],
    signal: options.signal,
    execArgv: ['--import', path.join(import.meta.dirname, 'report-cpu.ts')],
    ...(options.namePattern !== undefined && { testNamePatterns: [new RegExp(options.namePattern)] }),
  });
  options.signal.addEventListener('abort', () => setTimeout(killGroup, endWithinMs).unref());
  let failed = false;
  const seconds = new Map<string, number>();
  tests.on('test:fail', () => (failed = true));
  tests.on('test:complete', ({ name, file, nesting, details }) => {
    // A process of one file ends under the file's name. In a group, each file is a suite with the file's name.
    const finished = name === file ? path.relative(root, name) : name;
    if (nesting === 0 && files.includes(finished)) seconds.set(finished, details.duration_ms / 1000);
  });
  tests.compose(new spec()).pipe(process.stdout);
  await new Promise((resolve, reject) => tests.once('end', resolve).once('error', reject));
  if (files.length > 1) showCosts(seconds, await readCpu(cpuFile, root), options.showAllCosts);
  return failed || options.signal.aborted ? 1 : 0;
}

async function programsOf(files: string[], options: RunOptions, cpuFile: string): Promise<string[]> {
  const { root, directory } = options;
  const whole = (file: string) => path.join(root, file);
  // In a group, the names of tests begin with the file's name, which would change what a pattern matches.
  if (files.length < groupedFrom || options.namePattern !== undefined) return files.map(whole);
  return Promise.all(
    groupFiles(files, root).map(async (group, n) =>
      group.length === 1
        ? whole(group[0] ?? '')
        : writeGroup(directory, {
            name: `group-${n + 1}`,
            root,
            files: group,
            timeoutMs: timeoutMs.file,
            cpuFile,
          }),
    ),
  );
}

/** Returns CPU seconds by file or program, including children, without the shared PostgreSQL. */
async function readCpu(cpuFile: string, root: string): Promise<Map<string, number>> {
  const lines = (await readFile(cpuFile, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [name = '', seconds] = line.split('\t');
      return [path.isAbsolute(name) ? path.relative(root, name) : name, Number(seconds)];
    }),
  );
}

function showCosts(
  seconds: ReadonlyMap<string, number>,
  cpu: ReadonlyMap<string, number>,
  all: boolean,
): void {
  const format = (value: number | undefined) => (value === undefined ? '?' : value.toFixed(1)).padStart(8);
  console.log('\nThe slowest files:\n seconds     CPU');
  const slowest = [...seconds].sort(([, a], [, b]) => b - a);
  for (const [file, taken] of all ? slowest : slowest.slice(0, slowestShown))
    console.log(`${format(taken)}${format(cpu.get(file))}  ${file}`);
}
