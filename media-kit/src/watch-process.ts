import { type ChildProcess, execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { MediaToolError } from './media-tool-error.ts';

/** Bounds of one piece of work in a process of its own. */
export type ProcessLimits = {
  signal: AbortSignal;
  timeoutMs: number;
  /** Resident memory of the process. It is looked at a few times a second, so a little more is possible. */
  maxMemoryBytes: number;
  /** Asked as often as the memory; the error it answers ends the work. */
  check?: () => Promise<MediaToolError | undefined>;
};

export type Watch = Disposable & {
  /** Why the process was killed; undefined while nothing was wrong. */
  verdict: () => MediaToolError | undefined;
};

const lookEveryMs = 50;
/** Whoever answers requests on this machine goes first. */
const niceness = 10;

/** Kills a process that goes beyond its limits. What becomes of it after the end of the watch is its owner's affair. */
export function watchProcess(child: ChildProcess, limits: ProcessLimits): Watch {
  let verdict: MediaToolError | undefined;
  let looking = false;
  let over = false;
  const end = (error: MediaToolError) => {
    // A look that was under way when the work ended: the process may be about another's by now.
    if (over) return;
    verdict ??= error;
    child.kill('SIGKILL');
  };
  const look = async () => {
    const [bytes, problem] = await Promise.all([residentBytes(child.pid), limits.check?.()]);
    if (problem !== undefined) end(problem);
    else if (bytes > limits.maxMemoryBytes)
      end(new MediaToolError('out_of_memory', 'Handling the file took more memory than it may.'));
  };
  const onAbort = () =>
    end(new MediaToolError('aborted', 'The work was ended.', { cause: limits.signal.reason }));
  const timeout = setTimeout(
    () => end(new MediaToolError('timeout', `Handling the file took longer than ${limits.timeoutMs} ms.`)),
    limits.timeoutMs,
  );
  const interval = setInterval(() => {
    if (looking) return;
    looking = true;
    void look().finally(() => (looking = false));
  }, lookEveryMs);
  limits.signal.addEventListener('abort', onAbort);
  if (limits.signal.aborted) onAbort();
  return {
    verdict: () => verdict,
    [Symbol.dispose]: () => {
      over = true;
      clearTimeout(timeout);
      clearInterval(interval);
      limits.signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Lets everything else on the machine go first. */
export function lowerPriority(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) setPriority(child.pid, niceness);
  } catch {
    // It may be gone already; that is heard of elsewhere.
  }
}

/** 0 where it cannot be known: the process has ended, or the system (Windows) has no way to ask that is worth its price. */
async function residentBytes(pid: number | undefined): Promise<number> {
  if (pid === undefined || process.platform === 'win32') return 0;
  if (process.platform !== 'linux') return askPs(pid);
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function askPs(pid: number): Promise<number> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, stdout) =>
      resolve(error === null ? Number(stdout.trim()) * 1024 : 0),
    );
  });
}
