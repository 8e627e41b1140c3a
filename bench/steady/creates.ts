// Makes generations at a steady pace, as many accounts would together, from a separate process.

import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveParent } from '../child.ts';

export type SteadyCreates = { url: string; keys: readonly string[]; perSecond: number; seconds: number };
/** Milliseconds of each create since it was due, and how many were not answered 202. */
export type CreatesAnswer = { milliseconds: number[]; refused: number };

const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const turnMs = 5;
let made = 0;

await serveParent(async () => run);

async function run({ url, keys, perSecond, seconds }: SteadyCreates): Promise<CreatesAnswer> {
  const creates: Promise<number>[] = [];
  const milliseconds: number[] = [];
  const begun = performance.now();
  const total = perSecond * seconds;
  while (creates.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) / 1_000) * perSecond) + 1);
    while (creates.length < due) {
      const dueAt = begun + (creates.length / perSecond) * 1_000;
      const key = keys[creates.length % keys.length] ?? '';
      creates.push(
        create(url, key).then((status) => {
          milliseconds.push(performance.now() - dueAt);
          return status;
        }),
      );
    }
    await sleep(turnMs);
  }
  const statuses = await Promise.all(creates);
  return { milliseconds, refused: statuses.filter((status) => status !== 202).length };
}

/** Returns the status of the answer. */
function create(url: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${url}/v1/images/generations`, {
      agent,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
      .on('response', (response) => {
        response
          .on('end', () => resolve(response.statusCode ?? 0))
          .on('error', reject)
          .resume();
      })
      .on('error', reject)
      .end(JSON.stringify({ prompt: `a boat on a lake, number ${++made}` }));
  });
}
