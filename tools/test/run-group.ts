import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, describe } from 'node:test';
// Shared resources end with the process, so this module must be loaded before the first file.
import '@renderkit/server-kit/testing/share.ts';
import { cpuSeconds } from './cpu-time.ts';

export type GroupOptions = {
  root: string;
  files: readonly string[];
  /** Time limit of each file. */
  timeoutMs: number;
  /** Called with `file<TAB>seconds of CPU` at the end of each file. */
  report: (line: string) => void;
};

/**
 * Runs test files one after another in this process, because loading a server costs more than most files. Each file is
 * a suite with the file's path as its name. What a file declares, including hooks, only applies to its suite.
 */
export function runGroup({ root, files, timeoutMs, report }: GroupOptions): void {
  const load = createRequire(import.meta.url);
  for (const file of files)
    describe(file, { timeout: timeoutMs }, () => {
      let atFirst = 0;
      before(() => void (atFirst = cpuSeconds()));
      after(() => report(`${file}\t${(cpuSeconds() - atFirst).toFixed(2)}`));
      // Loads synchronously instead of with `import()`: tests declared after a wait would belong to another file's
      // suite.
      load(path.join(root, file));
    });
}
