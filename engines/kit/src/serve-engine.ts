import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { endWithParent } from '@renderkit/media-kit/end-with-parent.ts';
import sharp from 'sharp';
import { type Engine, EngineError, type EngineRequest } from './engine.ts';
import type { FromProcess, ToProcess } from './messages.ts';
import { isOutOfSpace } from './out-of-space.ts';

// A render that is no longer wanted ends by kill: drawing holds the thread, and a message would come late.
const never = new AbortController().signal;

/**
 * Makes this process one that `openEngineProcesses` has started: it renders what it is sent, one request at a time. The
 * engine is made with the directory where it may put files together.
 */
export function serveEngine(create: (scratch: string) => Engine): void {
  // Images that are read here are foreign: of all that the library can read, these two formats are taken.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] });
  const [, , scratch = ''] = process.argv;
  const engine = create(scratch);
  // The worker may be gone, even after kill -9. Nothing here is worth finishing: its try is lost.
  process.once('disconnect', () => rmSync(scratch, { recursive: true, force: true }));
  endWithParent();
  process.on('message', (message: ToProcess) => {
    if (message.type === 'render') void render(engine, message.request);
  });
}

async function render(engine: Engine, request: EngineRequest): Promise<void> {
  try {
    for await (const file of engine.render(request, never, (report) => send({ type: 'report', report }))) {
      send({ type: 'file', file });
      // The engine removes a video when it is asked for the next.
      if (file.contentType === 'video/mp4') await once(process, 'message');
    }
    send({ type: 'done' });
  } catch (error) {
    const code = isOutOfSpace(error)
      ? 'out_of_space'
      : error instanceof EngineError
        ? error.code
        : 'render_failed';
    const { message, cause } = error as Error;
    send({ type: 'failed', code, message: cause instanceof Error ? `${message} ${cause.message}` : message });
  }
}

function send(message: FromProcess): void {
  if (process.connected) process.send?.(message);
}
