// Draws in a process of its own: the worker's heartbeats and database go on meanwhile, and a drawing library that
// crashes takes one try with it and not the worker. Started by engine-processes.ts alone.
import { setPriority } from 'node:os';
import { EngineError, type EngineRequest } from '../engines/contract.ts';
import { createProceduralEngine } from '../engines/procedural/engine.ts';
import type { FromProcess, ToProcess } from './messages.ts';

/** Drawing takes a whole core as long as renders wait; whoever answers requests on this machine goes first. */
const niceness = 10;
setPriority(niceness);

const engine = createProceduralEngine();
// A render that is no longer wanted ends by kill: drawing holds the thread, and words would come late.
const never = new AbortController().signal;

process.on('message', ({ request }: ToProcess) => void render(request));
// The worker is gone, even after kill -9. Nothing here is worth finishing: its try is lost.
process.once('disconnect', () => process.exit());
// The terminal's Ctrl-C reaches this process too; when to end is the worker's to say.
process.on('SIGINT', () => undefined);

async function render(request: EngineRequest): Promise<void> {
  try {
    for await (const file of engine.render(request, never)) send({ type: 'file', file });
    send({ type: 'done' });
  } catch (error) {
    const code = error instanceof EngineError ? error.code : 'render_failed';
    const { message, cause } = error as Error;
    send({ type: 'failed', code, message: cause instanceof Error ? `${message} ${cause.message}` : message });
  }
}

function send(message: FromProcess): void {
  if (process.connected) process.send?.(message);
}
