import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { type Engine, EngineError, type EngineRequest, type RenderedFile } from '../engines/contract.ts';
import { createProceduralEngine } from '../engines/procedural/engine.ts';
import type { FromProcess, ToProcess } from './messages.ts';

export type EngineProcesses = AsyncDisposable & { engine: Engine };

/**
 * The procedural engine in processes of their own: at most `atOnce` pictures are drawn side by side, the others
 * wait. The first process is started at once, others when they are needed; each is kept for the next render.
 */
export function openEngineProcesses(atOnce: number): EngineProcesses {
  const { id, kinds, models } = createProceduralEngine();
  const slots = createSlots(atOnce);
  const idle: ChildProcess[] = [];
  const all = new Set<ChildProcess>();

  const start = () => {
    const child = fork(path.join(import.meta.dirname, 'draw.ts'), [], { serialization: 'advanced' });
    all.add(child);
    // An idle one that breaks is simply forgotten; a render hears of it by listeners of its own.
    child.on('error', () => undefined);
    child.once('exit', () => {
      all.delete(child);
      const at = idle.indexOf(child);
      if (at !== -1) idle.splice(at, 1);
    });
    return child;
  };

  idle.push(start());

  async function* render(request: EngineRequest, signal: AbortSignal): AsyncGenerator<RenderedFile> {
    await slots.take();
    const child = idle.pop() ?? start();
    let reusable = false;
    try {
      signal.throwIfAborted();
      yield* converse(child, request, signal);
      reusable = true;
    } catch (error) {
      reusable = error instanceof EngineError && child.connected;
      throw error;
    } finally {
      slots.give();
      // One that was aborted may still be drawing, and does not listen while it does.
      if (reusable) idle.push(child);
      else child.kill('SIGKILL');
    }
  }

  return {
    engine: { id, kinds, models, render },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(
        [...all].map(async (child) => {
          const exited = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGKILL');
          await exited;
        }),
      );
    },
  };
}

/** One render with one process, its messages as they come. */
async function* converse(
  child: ChildProcess,
  request: EngineRequest,
  signal: AbortSignal,
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
    child.send({ request } satisfies ToProcess, (error) => error && broke());
    for (;;) {
      signal.throwIfAborted();
      const message = inbox.shift();
      if (message === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else if (message.type === 'done') return;
      else if (message.type === 'file') yield message.file;
      else throw new EngineError(message.code, message.message);
    }
  } finally {
    child.off('message', receive).off('error', broke).off('exit', broke);
    signal.removeEventListener('abort', onAbort);
  }
}

function createSlots(count: number): { take: () => Promise<void>; give: () => void } {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    take: async () => {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    give: () => {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    },
  };
}
