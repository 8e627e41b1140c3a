import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import {
  type Engine,
  EngineError,
  type EngineRequest,
  type RenderedFile,
} from '@renderkit/engine-kit/engine.ts';
import { createProceduralEngine } from '@renderkit/engine-procedural/engine.ts';
import { ffmpegPath, mediaEnvironment } from '@renderkit/media-kit/config.ts';
import type { MediaToolError } from '@renderkit/media-kit/media-tool-error.ts';
import { makeTemporaryDirectory } from '@renderkit/media-kit/temporary-directory.ts';
import { watchProcess } from '@renderkit/media-kit/watch-process.ts';
import { createLimiter } from '@renderkit/server-kit/work/limiter.ts';
import type { FromProcess, ToProcess } from './messages.ts';

export type EngineProcesses = AsyncDisposable & { engine: Engine };

const minute = 60_000;
/** A render that takes longer than this is given up, and so is one whose process grows beyond the memory. */
const limits = {
  picture: { timeoutMs: 10 * minute, maxMemoryBytes: 3 * 1024 ** 3 },
  film: { timeoutMs: 30 * minute, maxMemoryBytes: 3 * 1024 ** 3 },
};

/**
 * The procedural engine in processes of their own: at most `atOnce` pictures are drawn side by side, and as many
 * films, so that no picture waits for a film; the others wait. The first process is started at once, others when
 * they are needed; each is kept for the next render.
 */
export function openEngineProcesses(atOnce: number): EngineProcesses {
  const { id, kinds, models } = createProceduralEngine();
  const limiters = {
    picture: createLimiter({ slots: atOnce }),
    film: createLimiter({ slots: atOnce }),
  };
  const idle: ChildProcess[] = [];
  const all = new Map<ChildProcess, Promise<void>>();

  const start = () => {
    const scratch = makeTemporaryDirectory();
    const child = fork(path.join(import.meta.dirname, 'draw.ts'), [scratch.path], {
      serialization: 'advanced',
      env: environmentIn(scratch.path),
    });
    // An idle one that breaks is simply forgotten; a render hears of it by listeners of its own.
    child.on('error', () => undefined);
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const tidyUp = async () => {
      await exited;
      const at = idle.indexOf(child);
      if (at !== -1) idle.splice(at, 1);
      // Left behind it is only in the way until this process ends and another removes it.
      await scratch[Symbol.asyncDispose]().catch(() => undefined);
      all.delete(child);
    };
    all.set(child, tidyUp());
    return child;
  };

  idle.push(start());

  async function* render(request: EngineRequest, signal: AbortSignal): AsyncGenerator<RenderedFile> {
    const sort = request.kind === 'video' || request.kind === 'video_extend' ? 'film' : 'picture';
    // Given back however the render ends, also where a full disk has no directory for a process.
    using _ = await limiters[sort].enter();
    let child: ChildProcess | undefined;
    let reusable = false;
    try {
      child = idle.pop() ?? start();
      signal.throwIfAborted();
      using watch = watchProcess(child, { ...limits[sort], signal });
      yield* converse(child, request, signal, () => watch.verdict());
      reusable = true;
    } catch (error) {
      reusable = error instanceof EngineError && child?.connected === true;
      throw error;
    } finally {
      // One that was aborted may still be drawing, and does not listen while it does.
      if (child !== undefined && reusable) idle.push(child);
      else child?.kill('SIGKILL');
    }
  }

  return {
    engine: { id, kinds, models, render },
    [Symbol.asyncDispose]: async () => {
      for (const child of all.keys()) child.kill('SIGKILL');
      await Promise.all(all.values());
    },
  };
}

/** It reads foreign pictures, so it sees no secrets; and what is temporary to it goes with it, however it ends. */
function environmentIn(scratch: string): NodeJS.ProcessEnv {
  const ffmpeg = ffmpegPath();
  return {
    ...mediaEnvironment(),
    TMPDIR: scratch,
    TEMP: scratch,
    ...(ffmpeg !== undefined && { FFMPEG_PATH: ffmpeg }),
  };
}

/** One render with one process, its messages as they come. */
async function* converse(
  child: ChildProcess,
  request: EngineRequest,
  signal: AbortSignal,
  verdict: () => MediaToolError | undefined,
): AsyncGenerator<RenderedFile> {
  const inbox: FromProcess[] = [];
  let wake = () => {};
  const receive = (message: FromProcess) => {
    inbox.push(message);
    wake();
  };
  const broke = () =>
    receive({ type: 'failed', code: 'render_failed', message: 'The drawing process broke.' });
  const onAbort = () => wake();
  child.on('message', receive).on('error', broke).on('exit', broke);
  signal.addEventListener('abort', onAbort);
  try {
    const tell = (message: ToProcess) => child.send(message, (error) => error && broke());
    tell({ type: 'render', request });
    for (;;) {
      signal.throwIfAborted();
      const message = inbox.shift();
      if (message === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else if (message.type === 'done') return;
      else if (message.type === 'file') {
        yield message.file;
        if (message.file.contentType === 'video/mp4') tell({ type: 'next' });
      } else throw failureOf(message, verdict());
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
