import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';
import { startService } from '../src/app.ts';
import { readServiceConfig } from '../src/config.ts';

/** The answer to the message `stop measuring`: what one turn of the event loop took at most since `measure`. */
export type LongestTurn = { type: 'longest turn'; milliseconds: number };
/** The answer to the message `memory`: what is in use after a collection, on the heap and outside of it. */
export type MemoryInUse = { type: 'memory in use'; bytes: number };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

// The service as a process that tells for how long it does nothing else than one thing, and what memory it has in use. What counts is the time that the
// processor worked for its thread: on a busy machine it is stopped for longer than any of its turns takes.
let measuring = false;
let longest = 0;
let since = 0;

function onTurn(): void {
  const now = workedMs();
  longest = Math.max(longest, now - since);
  since = now;
  if (measuring) setImmediate(onTurn);
}

function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

process.on('message', (message) => {
  if (message === 'measure') {
    measuring = true;
    longest = 0;
    since = workedMs();
    setImmediate(onTurn);
  } else if (message === 'stop measuring') {
    measuring = false;
    process.send?.({ type: 'longest turn', milliseconds: longest } satisfies LongestTurn);
  } else if (message === 'memory') {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ type: 'memory in use', bytes: heapUsed + external } satisfies MemoryInUse);
  }
});

await runPart({
  start: () => startService(readServiceConfig(process.env)),
  stopWithinMs: 10_000,
  onStartFailure: (error) => process.stderr.write(`${String(error)}\n`),
});
