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
/** A render that takes longer than this is given up, and so is one whose process grows beyond the memory. */
const limits = {
  image: { timeoutMs: 10 * minute, maxMemoryBytes: 3 * 1024 ** 3 },
  video: { timeoutMs: 30 * minute, maxMemoryBytes: 3 * 1024 ** 3 },
};

/**
 * An engine in processes of its own: the worker's heartbeats and database go on meanwhile, and a drawing library that
 * crashes takes one try with it and not the worker. At most `atOnce` images are rendered side by side, and as many
 * videos, so that no image waits for a video; the others wait. The first process is started at once, others when they
 * are needed; each is kept for the next render.
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
    // Given back however the render ends, also where a full disk has no directory for a process.
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
      // One that was aborted may still be drawing, and does not listen while it does.
      if (taken !== undefined && reusable) pool.giveBack(taken);
      else taken?.child.kill('SIGKILL');
    }
  }

  return {
    engine: { ...described, render },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** One render with one process, its messages as they come. */
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
    // At once: a file before it may not have been taken yet.
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

/** What fills the memory will do so again; what took too long may have had bad company. */
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
