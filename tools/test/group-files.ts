import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Folders whose tests put back what they change of the process that they run in. */
const groupable =
  /^(?:contract|server-kit|egress|service\/(?:src|test)|studio\/(?:src|test)|stack\/src|console|identity\/src|tools)\//;
/** Where most files load the same. */
const loadedTogether = /^(?:tools|[a-z-]+\/[a-z-]+)/;
/** More would save little: what loading costs is shared by these. */
const filesPerGroup = 14;

export type Groups = { groups: string[][]; alone: string[] };

/** Files that can share a process with others of their folder, and those that need one of their own. */
export function groupFiles(files: readonly string[]): Groups {
  const folders = Map.groupBy(
    files.filter((file) => groupable.test(file) && !isLong(file)),
    (file) => loadedTogether.exec(file)?.[0] ?? '',
  );
  const groups = [...folders.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / filesPerGroup) }, (_, n) =>
      all.slice(n * filesPerGroup, (n + 1) * filesPerGroup),
    ),
  );
  const grouped = new Set(groups.flat());
  return { groups, alone: files.filter((file) => !grouped.has(file)) };
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
