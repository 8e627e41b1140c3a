import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

let parent: string | undefined;
let made = 0;

/**
 * Makes a folder for the results of one job. Results of different jobs have equal names, so that a shared folder mixes the
 * results of tests that run at the same time. All folders are removed when the process ends.
 */
export function newResultFolder(): string {
  if (parent === undefined) {
    const directory = mkdtempSync(path.join(tmpdir(), 'renderkit-results-'));
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
    parent = directory;
  }
  const folder = path.join(parent, String(made++));
  mkdirSync(folder);
  return folder;
}
