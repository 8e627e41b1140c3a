import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const megabyte = 2 ** 20;
/** The interval between two checks. */
const lookMs = 30_000;
/** A process counts as idle when it was busy for at most this share of the time since the last check. */
const quietShare = 0.05;
/** The heap must have grown by this much since the last collection. */
const worthwhileBytes = 16 * megabyte;
/** A collection stops the process for about a millisecond for each megabyte in use. A larger heap is not collected. */
const maxBytes = 150 * megabyte;

type GarbageCollector = (options: { type: 'major'; execution: 'async' }) => Promise<void>;

/**
 * Returns unused memory to the system while the process is almost idle. V8 collects only when the process allocates.
 * Without this, an idle process would keep the pages of its busy times: up to 32 MB of the young generation and all
 * later garbage. Ends with the signal; does not keep the process alive.
 *
 * @param everyMs milliseconds between two checks
 */
export function returnMemoryWhenQuiet(signal: AbortSignal, everyMs = lookMs): void {
  // Programs can call the collector only after this flag is set, and only in a context that is made later.
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
