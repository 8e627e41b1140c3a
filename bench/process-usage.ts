import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

// What a process used, read from /proc: nothing has to be asked of the process, which may be busy. Elsewhere than
// on Linux there is nothing to read, and the figures are left out.

/** Seconds of processor time, of all threads, since the process began; undefined where it cannot be told. */
export function cpuSeconds(pid: number): number | undefined {
  const text = readProc(pid, 'stat');
  if (text === undefined) return undefined;
  // The name of the program, in brackets, may hold spaces; utime and stime are fields 14 and 15.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond();
}

/**
 * The same of a process and all that it started, those that ended included. Undefined where it cannot be told.
 */
export function treeCpuSeconds(root: number): number | undefined {
  const parents = new Map<number, number>();
  const ticksOf = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const text = readProc(Number(name), 'stat');
    if (text === undefined) continue;
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    parents.set(Number(name), Number(fields[1]));
    // Its own time and that of its children who ended and were waited for: fields 14 to 17.
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

/** Megabytes (10^6) of memory that the process has in use; undefined where it cannot be told. */
export function residentMegabytes(pid: number): number | undefined {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, 'status') ?? '');
  return match === null ? undefined : (Number(match[1]) * 1024) / 1e6;
}

/** The same of what is its own and not shared with others, code and shared memory left out. */
export function anonymousMegabytes(pid: number): number | undefined {
  const match = /^Anonymous:\s+(\d+) kB$/m.exec(readProc(pid, 'smaps_rollup') ?? '');
  return match === null ? undefined : (Number(match[1]) * 1024) / 1e6;
}

/** Those that it started and that still run. */
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
