import { type ChildProcess, execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { MediaToolError } from './media-tool-error.ts';

/**
 * Limits of one piece of work in a separate process. `imageLimits` in `media-processes.ts` is for images; other callers
 * have their own.
 */
export type ProcessLimits = {
  signal: AbortSignal;
  timeoutMs: number;
  /** Resident memory of the process. It is measured a few times a second, so slightly more is possible. */
  maxMemoryBytes: number;
  /** Called as often as the memory is measured; an error that it returns ends the work. */
  check?: () => Promise<MediaToolError | undefined>;
};

export type Watch = Disposable & {
  /** Returns why the process was killed; `undefined` if it was not. */
  verdict: () => MediaToolError | undefined;
};

const lookEveryMs = 50;
/** Lower than the priority of processes that answer requests on this machine. */
const niceness = 10;

/** Kills a process that exceeds its limits. After the end of the watch, the process is its owner's responsibility. */
export function watchProcess(child: ChildProcess, limits: ProcessLimits): Watch {
  let verdict: MediaToolError | undefined;
  let looking = false;
  let over = false;
  const end = (error: MediaToolError) => {
    // A measurement may end after the work has ended. The process may have another job by then.
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

/** Lowers the priority of a process below that of everything else on the machine. */
export function lowerPriority(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) setPriority(child.pid, niceness);
  } catch {
    // The process may be gone already; its owner notices that in another way.
  }
}

/** Returns 0 where the memory is unknown: the process has ended, or there is no cheap way to measure it (Windows). */
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
