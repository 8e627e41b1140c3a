import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, describe } from 'node:test';
// What files share ends with the process, and so has to be known before the first of them.
import '@renderkit/server-kit/testing/share.ts';
import { cpuSeconds } from './cpu-time.ts';

export type GroupOptions = {
  root: string;
  files: readonly string[];
  /** Of each file. */
  timeoutMs: number;
  /** Called with `file<TAB>seconds of CPU` at the end of each. */
  report: (line: string) => void;
};

/**
 * Runs files of tests one after another in this process, each as a suite with the file's path as its name: loading a
 * server costs more than most of them do. What a file declares, hooks too, holds for its suite alone.
 */
export function runGroup({ root, files, timeoutMs, report }: GroupOptions): void {
  const load = createRequire(import.meta.url);
  for (const file of files)
    describe(file, { timeout: timeoutMs }, () => {
      let atFirst = 0;
      before(() => void (atFirst = cpuSeconds()));
      after(() => report(`${file}\t${(cpuSeconds() - atFirst).toFixed(2)}`));
      // At once and not by `import()`: what is declared after a wait is declared in another file's suite.
      load(path.join(root, file));
    });
}
