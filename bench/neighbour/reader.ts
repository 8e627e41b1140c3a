// Reads at a steady pace, as a quiet account would, from a separate process.

import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveParent } from '../child.ts';

export type SteadyReads = { url: string; key: string; paths: string[]; perSecond: number; seconds: number };

const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const turnMs = 5;

await serveParent(async () => run);

/** Returns the milliseconds of each read since it was due: waiting for a connection counts too. */
async function run({ url, key, paths, perSecond, seconds }: SteadyReads): Promise<number[]> {
  const reads: Promise<number>[] = [];
  const begun = performance.now();
  const total = perSecond * seconds;
  while (reads.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) / 1_000) * perSecond) + 1);
    while (reads.length < due) {
      const dueAt = begun + (reads.length / perSecond) * 1_000;
      const address = url + (paths[reads.length % paths.length] ?? '');
      reads.push(read(address, key).then(() => performance.now() - dueAt));
    }
    await sleep(turnMs);
  }
  return Promise.all(reads);
}

function read(address: string, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(address, { agent, headers: { authorization: `Bearer ${key}` } })
      .on('response', (response) => {
        if (response.statusCode !== 200) reject(new Error(`a read was answered ${response.statusCode}`));
        response.on('end', resolve).on('error', reject).resume();
      })
      .on('error', reject)
      .end();
  });
}
