import path from 'node:path';
import { after, before, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
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
  for (const file of files)
    describe(file, { timeout: timeoutMs }, async () => {
      let atFirst = 0;
      before(() => void (atFirst = cpuSeconds()));
      after(() => report(`${file}\t${(cpuSeconds() - atFirst).toFixed(2)}`));
      await import(pathToFileURL(path.join(root, file)).href);
    });
}
