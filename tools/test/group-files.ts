import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Folders whose tests restore what they change in their process. Files share a process if `together` matches the same
 * text, because such files load the same modules: a process that loads a server costs one second of CPU. Groups of
 * files that take up to a minute each are small, so that the end of the run does not wait for one group.
 */
const groupable = [
  { together: /^tools/, filesPerGroup: 14 },
  {
    together: /^(?=(?:contract|server-kit|egress|blob-storage|manifests|console|identity|clients)\/)/,
    filesPerGroup: 30,
  },
  { together: /^(?:service|studio)\/(?:src|test)|^stack\/src/, filesPerGroup: 14 },
  { together: /^stack\/test/, filesPerGroup: 4 },
  { together: /^engines\/(?:procedural)?/, filesPerGroup: 10 },
  { together: /^e2e\/(?!chaos|console|races|spec\/spec|playground)/, filesPerGroup: 3 },
] as const;

/**
 * Approximate seconds of a file on two cores, with other files running. The first pattern that matches the path counts.
 */
const secondsOf: readonly (readonly [path: RegExp, seconds: number])[] = [
  [/^e2e\/older-release/, 200],
  [/^e2e\/console\//, 100],
  [/^e2e\/(?:spec\/spec|cli\/cli)|^stack\/test\/stack\.test/, 90],
  [/^e2e\/(?:chaos\/chaos|published-prices|races)|^stack\/test\/full-disk/, 60],
  [/^engines\/procedural\/src\/(?:edit-image|video\/)/, 60],
  [/^stack\/test\/(?:asked-machines|backup)|^media-kit\/(?:test|src\/ffmpeg)|^engines\/procedural\//, 30],
  [/\.(?:slow|soak)\.test\.ts$/, 40],
  [/^e2e\//, 20],
  [/^(?:service|studio|stack)\/test\//, 8],
  [/^(?:engines|media-kit)\//, 3],
];

/** Returns the expected seconds of a file. Long files start first, because otherwise one would run alone at the end. */
export function expectedSeconds(file: string): number {
  return secondsOf.find(([pattern]) => pattern.test(file))?.[1] ?? 1;
}

/**
 * One platform serves this many files. Starting a platform costs more than most files, but the end of the run should
 * not wait for one platform.
 */
const sharing = [
  { asks: 'await sharedPlatform()', filesPerPlatform: 4 },
  { asks: 'await sharedConsoleWorld()', filesPerPlatform: 3 },
] as const;
/** Folders whose files may share a platform. In other folders, a match is only the text of a test. */
const mayShare = /^(?:e2e|service|stack)\//;

/**
 * Groups files that share a process. A file that needs its own process is alone in its group. Groups with the longest
 * expected time come first. Files are paths relative to `root`.
 */
export function groupFiles(files: readonly string[], root: string): string[][] {
  const texts = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
  const groups: string[][] = [];
  const shared = new Set<string>();
  for (const { asks, filesPerPlatform } of sharing) {
    const found = files.filter(
      (file) => mayShare.test(file) && !shared.has(file) && texts.get(file)?.includes(asks),
    );
    groups.push(...inPieces(found, filesPerPlatform));
    for (const file of found) shared.add(file);
  }
  for (const { together, filesPerGroup } of groupable) {
    const found = files.filter(
      (file) => together.test(file) && !isLong(file) && !shared.has(file) && !waits(texts.get(file) ?? ''),
    );
    for (const folder of Map.groupBy(found, (file) => together.exec(file)?.[0]).values())
      groups.push(...inPieces(folder, filesPerGroup));
  }
  const grouped = new Set(groups.flat());
  for (const file of files) if (!grouped.has(file)) groups.push([file]);
  const seconds = (group: readonly string[]) => group.reduce((sum, file) => sum + expectedSeconds(file), 0);
  return groups.sort((a, b) => seconds(b) - seconds(a));
}

function inPieces(files: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(files.length / size) }, (_, i) =>
    files.slice(i * size, (i + 1) * size),
  );
}

/**
 * Returns whether loading a file waits for something. If it waits, its tests would be declared in another file's suite.
 */
function waits(text: string): boolean {
  return /^(?:(?:export )?(?:const|let) [^=\n]+= )?await /m.test(text);
}

/** Returns whether a file is left out of `npm test`. */
export function isLong(file: string): boolean {
  return /\.(?:slow|soak)\.test\.ts$/.test(file);
}

/** Writes a program that runs the files in one process, and returns the program's path. */
export async function writeGroup(
  directory: string,
  options: { name: string; root: string; files: readonly string[]; timeoutMs: number; cpuFile: string },
): Promise<string> {
  const { root, files, timeoutMs } = options;
  const program = path.join(directory, `${options.name}.mjs`);
  await writeFile(
    program,
    [
      `import { appendFileSync } from 'node:fs';`,
      `import { runGroup } from ${JSON.stringify(path.join(import.meta.dirname, 'run-group.ts'))};`,
      `const report = (line) => appendFileSync(${JSON.stringify(options.cpuFile)}, line + '\\n');`,
      `runGroup({ ...${JSON.stringify({ root, files, timeoutMs })}, report });`,
      '',
    ].join('\n'),
  );
  return program;
}
