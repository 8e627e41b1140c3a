// Draws in a process of its own: the worker's heartbeats and database go on meanwhile, and a drawing library that
// crashes takes one try with it and not the worker. Started by engine-processes.ts alone, with the directory where
// films are put together as its argument.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { EngineError, type EngineRequest } from '@renderkit/engine-kit/engine.ts';
import { createProceduralEngine } from '@renderkit/engine-procedural/engine.ts';
import { endWithParent } from '@renderkit/media-kit/end-with-parent.ts';
import sharp from 'sharp';
import { isOutOfSpace } from '../out-of-space.ts';
import type { FromProcess, ToProcess } from './messages.ts';

/** Drawing takes a whole core as long as renders wait; whoever answers requests on this machine goes first. */
const niceness = 10;
setPriority(niceness);

// The pictures that are read here are foreign: of all that the library can read, these two formats are taken.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] });

const [, , scratch = ''] = process.argv;
const engine = createProceduralEngine(scratch);
// A render that is no longer wanted ends by kill: drawing holds the thread, and words would come late.
const never = new AbortController().signal;

// The worker may be gone, even after kill -9. Nothing here is worth finishing: its try is lost.
process.once('disconnect', () => rmSync(scratch, { recursive: true, force: true }));
endWithParent();
process.on('message', (message: ToProcess) => {
  if (message.type === 'render') void render(message.request);
});

async function render(request: EngineRequest): Promise<void> {
  try {
    for await (const file of engine.render(request, never)) {
      send({ type: 'file', file });
      // The engine removes a film when it is asked for the next.
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
