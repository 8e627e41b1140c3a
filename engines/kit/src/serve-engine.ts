import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { endWithParent } from '@renderkit/media-kit/end-with-parent.ts';
import sharp from 'sharp';
import { type Engine, EngineError, type EngineRequest } from './engine.ts';
import type { FromProcess, ToProcess } from './messages.ts';
import { isOutOfSpace } from './out-of-space.ts';

// An unwanted render is ended by killing the process: drawing blocks the thread, so a message would arrive late.
const never = new AbortController().signal;

/**
 * Turns this process into one that `openEngineProcesses` can use. It renders the requests that it receives, one at a
 * time. `create` gets the directory in which the engine may build files.
 */
export function serveEngine(create: (scratch: string) => Engine): void {
  // The images that are read here are untrusted, so only these two formats of the library are allowed.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] });
  const [, , scratch = ''] = process.argv;
  const engine = create(scratch);
  // The worker may be gone, even after kill -9. Nothing here is worth finishing, because the try is lost.
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
      // The engine removes a video when the next output is requested.
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
