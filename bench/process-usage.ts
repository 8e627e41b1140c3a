import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

// Resource usage of a process, read from /proc: the process, which may be busy, is not asked. Except on Linux there is
// nothing to read, and the figures are left out.

/** Returns the seconds of processor time, of all threads, since the process began; undefined if that cannot be read. */
export function cpuSeconds(pid: number): number | undefined {
  const text = readProc(pid, 'stat');
  if (text === undefined) return undefined;
  // The program's name, in brackets, may contain spaces; utime and stime are fields 14 and 15.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond();
}

/**
 * Like `cpuSeconds`, for a process and all that it started, including those that ended. Returns undefined if that
 * cannot be read.
 */
export function treeCpuSeconds(root: number): number | undefined {
  const parents = new Map<number, number>();
  const ticksOf = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const text = readProc(Number(name), 'stat');
    if (text === undefined) continue;
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    parents.set(Number(name), Number(fields[1]));
    // Its own time and that of its children that ended and were waited for: fields 14 to 17.
    ticksOf.set(
      Number(name),
      [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0),
    );
  }
  if (!ticksOf.has(root)) return undefined;
  let total = 0;
  for (const [pid, count] of ticksOf) {
    let ancestor: number | undefined = pid;
    while (ancestor !== undefined && ancestor !== root) ancestor = parents.get(ancestor);
    if (ancestor === root) total += count;
  }
  return total / ticksPerSecond();
}

/** Returns the megabytes (10^6) of resident memory of a process; undefined if that cannot be read. */
export function residentMegabytes(pid: number): number | undefined {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, 'status') ?? '');
  return match === null ? undefined : (Number(match[1]) * 1024) / 1e6;
}

/** Like `residentMegabytes`, for private memory only: without code and shared memory. */
export function anonymousMegabytes(pid: number): number | undefined {
  const match = /^Anonymous:\s+(\d+) kB$/m.exec(readProc(pid, 'smaps_rollup') ?? '');
  return match === null ? undefined : (Number(match[1]) * 1024) / 1e6;
}

/** Returns the processes that this process started and that still run. */
export function childrenOf(pid: number): number[] {
  const text = readProc(pid, `task/${pid}/children`) ?? '';
  return text.split(' ').filter(Boolean).map(Number);
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

let ticks: number | undefined;

function ticksPerSecond(): number {
  return (ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })));
}
