import type { Bench, Result } from '../benchmark.ts';
import { startPlatform } from '../platform.ts';
import { boundResult } from '../present.ts';
import { cpuSeconds } from '../process-usage.ts';

/** Of an account at a time: no more than the studio renders at once for it. */
const clientsPerAccount = 4;

/** What a generation costs the service from create to finish: processor seconds per 1,000, for one account and for many. */
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
  await finish(platform.serviceUrl, keys, Math.max(keys.length, 20));
  const before = cpuSeconds(platform.service.pid) ?? Number.NaN;
  await finish(platform.serviceUrl, keys, total);
  return (cpuSeconds(platform.service.pid) ?? Number.NaN) - before;
}

/** Makes small pictures and waits for each, as a client would. */
async function finish(url: string, keys: readonly string[], total: number): Promise<void> {
  let begun = 0;
  const work = async (key: string) => {
    while (begun < total) {
      begun++;
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const created = await fetch(`${url}/v1/images/generations`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: 'sketch-1', prompt: `a boat on a lake, number ${begun}` }),
      });
      if (created.status !== 202) throw new Error(`a create was answered ${created.status}`);
      let generation = (await created.json()) as { id: string; status: string };
      while (generation.status === 'queued' || generation.status === 'running') {
        const answer = await fetch(`${url}/v1/generations/${generation.id}?wait=60`, { headers });
        generation = (await answer.json()) as { id: string; status: string };
      }
      if (generation.status !== 'succeeded')
        throw new Error(`${generation.id} ended as ${generation.status}`);
    }
  };
  const clients = keys
    .slice(0, 16)
    .flatMap((key) => Array<string>(keys.length === 1 ? clientsPerAccount : 1).fill(key));
  await Promise.all(clients.map(work));
}
