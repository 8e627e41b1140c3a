import type { ChildProcess } from 'node:child_process';
import type { MediaToolError } from '@renderkit/media-kit/media-tool-error.ts';
import { createProcessPool, type PooledProcess } from '@renderkit/media-kit/process-pool.ts';
import { watchProcess } from '@renderkit/media-kit/watch-process.ts';
import { createLimiter } from '@renderkit/server-kit/work/limiter.ts';
import { type Engine, EngineError, type EngineRequest, type RenderedFile } from './engine.ts';
import type { Report } from './report.ts';
import type { FromProcess, ToProcess } from './messages.ts';

export type EngineProcesses = AsyncDisposable & { engine: Engine };

export type HostedEngine = Pick<Engine, 'id' | 'kinds' | 'models'> & {
  /** Path of a module that calls `serveEngine`. */
  processModule: string;
};

const minute = 60_000;
/** A render that exceeds its time or memory is stopped and its process is killed. */
const limits = {
  image: { timeoutMs: 10 * minute, maxMemoryBytes: 3 * 1024 ** 3 },
  video: { timeoutMs: 30 * minute, maxMemoryBytes: 3 * 1024 ** 3 },
};

/**
 * Runs an engine in separate processes. The worker's heartbeats and database access continue meanwhile, and a crash of
 * a drawing library ends one try but not the worker. At most `atOnce` images are rendered at the same time, and as many
 * videos, so that no image waits for a video; the other renders wait. The first process starts at once, further ones on
 * demand. Each process is kept for the next render.
 */
export function openEngineProcesses(
  { processModule, ...described }: HostedEngine,
  atOnce: number,
): EngineProcesses {
  const limiters = { image: createLimiter({ slots: atOnce }), video: createLimiter({ slots: atOnce }) };
  const pool = createProcessPool({ module: processModule, hasScratch: true, prints: true });
  pool.giveBack(pool.take());

  async function* render(
    request: EngineRequest,
    signal: AbortSignal,
    report?: Report,
  ): AsyncGenerator<RenderedFile> {
    const sort = request.kind === 'video' || request.kind === 'video_extend' ? 'video' : 'image';
    // Released however the render ends, also where a full disk has no directory for a process.
    using _ = await limiters[sort].enter();
    let taken: PooledProcess | undefined;
    let reusable = false;
    try {
      taken = pool.take();
      signal.throwIfAborted();
      using watch = watchProcess(taken.child, { ...limits[sort], signal });
      yield* converse(taken.child, request, { signal, report, verdict: () => watch.verdict() });
      reusable = true;
    } catch (error) {
      reusable = error instanceof EngineError && taken?.child.connected === true;
      throw error;
    } finally {
      // An aborted process may still be drawing, and does not read messages while it draws.
      if (taken !== undefined && reusable) pool.giveBack(taken);
      else taken?.child.kill('SIGKILL');
    }
  }

  return {
    engine: { ...described, render },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** Does one render in one process, and handles its messages as they arrive. */
async function* converse(
  child: ChildProcess,
  request: EngineRequest,
  {
    signal,
    report,
    verdict,
  }: { signal: AbortSignal; report: Report | undefined; verdict: () => MediaToolError | undefined },
): AsyncGenerator<RenderedFile> {
  const inbox: FromProcess[] = [];
  let wake = () => {};
  const receive = (message: FromProcess) => {
    // Reported at once, because an earlier file may still wait in the inbox.
    if (message.type === 'report') return report?.(message.report);
    inbox.push(message);
    wake();
  };
  const broke = () =>
    receive({ type: 'failed', code: 'render_failed', message: 'The drawing process broke.' });
  const onAbort = () => wake();
  child.on('message', receive).on('error', broke).on('exit', broke);
  signal.addEventListener('abort', onAbort);
  try {
    const post = (message: ToProcess) => child.send(message, (error) => error && broke());
    post({ type: 'render', request });
    for (;;) {
      signal.throwIfAborted();
      const message = inbox.shift();
      if (message === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else if (message.type === 'done') return;
      else if (message.type === 'file') {
        yield message.file;
        if (message.file.contentType === 'video/mp4') post({ type: 'next' });
      } else if (message.type === 'failed') throw failureOf(message, verdict());
    }
  } finally {
    child.off('message', receive).off('error', broke).off('exit', broke);
    signal.removeEventListener('abort', onAbort);
  }
}

/** A render that fills the memory will do so again. A time-out may be due to other load on the machine. */
function failureOf(
  { code, message }: Extract<FromProcess, { type: 'failed' }>,
  verdict: MediaToolError | undefined,
): EngineError {
  if (verdict === undefined) return new EngineError(code, message);
  return new EngineError(
    verdict.kind === 'out_of_memory' ? 'render_impossible' : 'render_failed',
    verdict.message,
    { cause: verdict },
  );
}
