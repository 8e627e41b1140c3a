import {
  closeSync,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

const maxBytes = 10 * 1024 * 1024;
const lookEveryMs = 30_000;
const tailBytes = 16 * 1024;

/** A log to which a child process appends by itself, so that the child can still write when its parent is gone. */
export type LogFile = Disposable & {
  file: string;
  /** Pass it to the child as its stdout and stderr. */
  descriptor: number;
  /** Adds a line of this process. On a full disk, the line is lost. */
  note: (line: string) => void;
  /** The last lines, oldest first. */
  lastLines: (count: number) => string[];
};

/** Opens a log for appending. Keeps one previous log (`.1`); each stays at about 10 MB. */
export function openLogFile(file: string): LogFile {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const descriptor = openSync(file, 'a+', 0o600);
  const watch = setInterval(() => rotate(file, descriptor), lookEveryMs);
  watch.unref();
  return {
    file,
    descriptor,
    note: (line) => note(descriptor, line),
    lastLines: (count) => readTail(descriptor).slice(-count),
    [Symbol.dispose]: () => {
      clearInterval(watch);
      closeSync(descriptor);
    },
  };
}

function note(descriptor: number, line: string): void {
  try {
    writeSync(descriptor, `${line}\n`);
  } catch {
    // The line is lost: a note is less important than the work.
  }
}

/** Copies and empties the log: the child keeps its descriptor and appends at the new end. */
function rotate(file: string, descriptor: number): void {
  try {
    if (fstatSync(descriptor).size <= maxBytes) return;
    copyFileSync(file, `${file}.1`);
    ftruncateSync(descriptor, 0);
  } catch {
    // The disk may be full: the log grows until there is room, and nothing else stops.
  }
}

function readTail(descriptor: number): string[] {
  const { size } = fstatSync(descriptor);
  const buffer = Buffer.alloc(Math.min(size, tailBytes));
  const read = readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
  return buffer
    .toString('utf8', 0, read)
    .split('\n')
    .filter((line) => line !== '');
}
