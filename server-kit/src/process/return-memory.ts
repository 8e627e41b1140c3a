import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const megabyte = 2 ** 20;
/** How often a process looks at itself. */
const lookMs = 30_000;
/** The share of the last look's time in which a process that counts as quiet may have been at work. */
const quietShare = 0.05;
/** So much the heap must have grown since it was last collected. */
const worthwhileBytes = 16 * megabyte;
/** A collection stops the process for about a millisecond for each megabyte in use: a large heap is left as it is. */
const maxBytes = 150 * megabyte;

type GarbageCollector = (options: { type: 'major'; execution: 'async' }) => Promise<void>;

/**
 * Gives memory back that a process no longer uses, in times when it has next to nothing to do. V8 collects when it
 * allocates, so that a process that falls quiet would keep the pages of its busy times: up to 32 MB of its young
 * generation and all that became garbage since. Ends with the signal; does not keep the process alive.
 *
 * @param everyMs milliseconds between two looks
 */
export function returnMemoryWhenQuiet(signal: AbortSignal, everyMs = lookMs): void {
  // The collector is not there for programs unless a flag says so; a context that is made after the flag has it.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as GarbageCollector;
  let last = performance.eventLoopUtilization();
  let collectedBytes = 0;
  const look = async (): Promise<void> => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    const { total_heap_size: total, used_heap_size: used } = getHeapStatistics();
    if (utilization > quietShare || used > maxBytes || total - collectedBytes < worthwhileBytes) return;
    await collect({ type: 'major', execution: 'async' });
    collectedBytes = getHeapStatistics().total_heap_size;
  };
  const timer = setInterval(() => void look().catch(() => undefined), everyMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
