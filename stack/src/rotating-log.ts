import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

const largestBytes = 10 * 1024 * 1024;
const rememberedLines = 30;

/** A log file that keeps itself and one predecessor (`.1`) at 10 MB or less each, and remembers its last lines. */
export type RotatingLog = Disposable & {
  write: (chunk: Buffer | string) => void;
  /** The last lines written, oldest first. */
  lastLines: (count: number) => string[];
};

/** Opens (appends to) a log file. A disk that is full loses log lines and stops nothing. */
export function openRotatingLog(file: string): RotatingLog {
  let descriptor = openSync(file, 'a', 0o600);
  let size = statSync(file).size;
  let lines: string[] = [];
  let rest = '';
  return {
    write: (chunk) => {
      const text = rest + chunk.toString();
      const parts = text.split('\n');
      rest = parts.pop() ?? '';
      lines = [...lines, ...parts].slice(-rememberedLines);
      try {
        if (size > largestBytes) {
          closeSync(descriptor);
          renameSync(file, `${file}.1`);
          descriptor = openSync(file, 'a', 0o600);
          size = 0;
        }
        size += writeSync(descriptor, Buffer.from(chunk));
      } catch {
        // see above: there is nowhere left to report it
      }
    },
    lastLines: (count) => [...lines, ...(rest === '' ? [] : [rest])].slice(-count),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
