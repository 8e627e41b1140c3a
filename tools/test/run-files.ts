import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { killGroup } from './kill-group.ts';
import { groupFiles, writeGroup } from './group-files.ts';

export type RunOptions = {
  root: string;
  /** The superuser's, of the cluster in which tests make their databases. */
  url: string;
  /** For files of the run. */
  directory: string;
  processesAtOnce: number;
  namePattern: string | undefined;
  showAllCosts: boolean;
  soak: boolean;
  signal: AbortSignal;
};

/** A file may take this long, and so may a group: one that hangs would otherwise hold the whole run up. */
const timeoutMs = { file: 600_000, group: 1_200_000, soak: 3_600_000 };
/** What still runs this long after the run was ended is killed. */
const endWithinMs = 5_000;
/** From as many files on, those that can share a process do. */
const groupedFrom = 20;
/** What a run costs is shown at its end, so that it is noticed when a file grows slow. */
const slowestShown = 10;

/** Runs files of tests and shows what became of them. Returns the exit code. */
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
    // A process of one file ends under the file's name; in a group each file is a suite of its name.
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
  // A pattern is held against names that begin with the file's in a group.
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

/** Seconds of CPU by file or program, children included; without those of the shared PostgreSQL. */
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
