import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Folders whose tests put back what they change of the process that they run in. Files share one with those for which
 * `together` finds the same, because they load the same; more in a group would save little. Where each takes up to a
 * minute a group is small: the end of the run is not to wait for one.
 */
const groupable = [
  { together: /^tools/, filesPerGroup: 14 },
  { together: /^(?:contract|server-kit|egress|console|identity|clients)\/[a-z0-9]+/, filesPerGroup: 14 },
  { together: /^(?:service|studio)\/(?:src|test)|^stack\/src/, filesPerGroup: 14 },
  { together: /^stack\/test/, filesPerGroup: 4 },
  { together: /^engines\/(?:procedural)?/, filesPerGroup: 10 },
  { together: /^e2e\/(?!chaos|console|races|spec\/spec|playground)/, filesPerGroup: 3 },
] as const;

/**
 * Files that share a process, those that need one of their own alone; each group where the first of its files stood.
 * Files are named from `root`.
 */
export function groupFiles(files: readonly string[], root: string): string[][] {
  const groups: string[][] = [];
  for (const { together, filesPerGroup } of groupable) {
    const found = files.filter(
      (file) => together.test(file) && !isLong(file) && !waits(path.join(root, file)),
    );
    for (const folder of Map.groupBy(found, (file) => together.exec(file)?.[0]).values())
      for (let first = 0; first < folder.length; first += filesPerGroup)
        groups.push(folder.slice(first, first + filesPerGroup));
  }
  const grouped = new Set(groups.flat());
  for (const file of files) if (!grouped.has(file)) groups.push([file]);
  const place = new Map(files.map((file, n) => [file, n]));
  const placeOf = ([first = '']: string[]) => place.get(first) ?? 0;
  return groups.sort((a, b) => placeOf(a) - placeOf(b));
}

/** Whether loading it waits for something; what it declared then would be declared in another file's suite. */
function waits(file: string): boolean {
  return /^(?:(?:export )?(?:const|let) [^=\n]+= )?await /m.test(readFileSync(file, 'utf8'));
}

/** Also `npm run soak` alone. */
export function isLong(file: string): boolean {
  return /\.(?:slow|soak)\.test\.ts$/.test(file);
}

/** Writes a program that runs the files in one process. Returns its path. */
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
