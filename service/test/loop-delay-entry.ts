import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runPart } from '@renderkit/server-kit/process/lifecycle.ts';
import { startService } from '../src/app.ts';
import { readServiceConfig } from '../src/config.ts';

/** The answer to the message `stop measuring`: the longest turn of the event loop since `measure`. */
export type LongestTurn = { type: 'longest turn'; milliseconds: number };
/** The answer to the message `memory`: the memory in use after a collection, on the heap and outside of it. */
export type MemoryInUse = { type: 'memory in use'; bytes: number };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

// Runs the service as a process that reports its longest turn of the event loop and its memory in use. A turn is
// measured in CPU time of the thread: on a busy machine the process is paused for longer than any turn takes.
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
