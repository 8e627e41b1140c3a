import type { Bench, Result } from '../benchmark.ts';
import { finishAll } from '../finish-all.ts';
import { startPlatform } from '../platform.ts';
import { boundResult } from '../present.ts';
import { cpuSeconds } from '../process-usage.ts';

const model = 'sketch-1';

/**
 * Measures what a generation costs the service from create to finish: processor seconds per 1,000, for one account and
 * for many.
 */
export async function scale(bench: Bench): Promise<Result[]> {
  const results: Result[] = [];
  for (const accounts of [1, 50]) {
    const total = bench.quick ? 50 : 500;
    const seconds = await measure(bench, accounts, total);
    results.push(
      boundResult({
        name: `scale, ${accounts} account${accounts === 1 ? '' : 's'}`,
        ours: `${((seconds / total) * 1000).toFixed(2)} CPU s per 1,000 finished (${total} measured)`,
        goal: 'none: a figure to know',
        met: true,
      }),
    );
  }
  return results;
}

async function measure(bench: Bench, accounts: number, total: number): Promise<number> {
  await using platform = await startPlatform(bench, { worker: true });
  const keys: string[] = [];
  for (let n = 0; n < accounts; n++) keys.push(...(await platform.createAccount({ keys: 1 })).keys);
  await finishAll(platform.serviceUrl, keys, { model, total: Math.max(keys.length, 20) });
  const before = cpuSeconds(platform.service.pid) ?? Number.NaN;
  await finishAll(platform.serviceUrl, keys, { model, total });
  return (cpuSeconds(platform.service.pid) ?? Number.NaN) - before;
}
