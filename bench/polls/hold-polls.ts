// Holds long polls open from a separate process and reports when each was answered.

import { Agent, get } from 'node:http';
import { serveParent } from '../child.ts';

export type Poll = { id: string; key: string };
export type HoldPolls = { open: { url: string; polls: Poll[]; waitSeconds: number } } | { collect: true };
/** Milliseconds from `completed_at` in the answer until the answer arrived: one machine, one clock. */
export type PollsAnswer = { wakeMs: number[]; others: Record<string, number> };

let underWay: Promise<Answer>[] = [];

type Answer = { status: number; generation: { status: string; completed_at: string | null }; at: number };

const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity });
/** Connections opened at a time; a listener's backlog is no longer. */
const burst = 100;

await serveParent(async () => async (message: HoldPolls) => {
  if ('collect' in message) return collect();
  const { url, polls, waitSeconds } = message.open;
  underWay = [];
  for (let n = 0; n < polls.length; n += burst) {
    const opened = polls.slice(n, n + burst).map((poll) => open(url, poll, waitSeconds));
    await Promise.all(opened.map(({ sent }) => sent));
    underWay.push(...opened.map(({ answered }) => answered));
  }
  return undefined;
});

function open(url: string, { id, key }: Poll, waitSeconds: number) {
  const request = get(`${url}/v1/generations/${id}?wait=${waitSeconds}`, {
    agent,
    headers: { authorization: `Bearer ${key}` },
  });
  const sent = new Promise<void>((resolve, reject) => {
    request.once('finish', resolve);
    request.once('error', reject);
  });
  const answered = new Promise<Answer>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          generation: JSON.parse(Buffer.concat(chunks).toString('utf8')) as Answer['generation'],
          at: performance.timeOrigin + performance.now(),
        }),
      );
    });
  });
  answered.catch(() => undefined);
  return { sent, answered };
}

async function collect(): Promise<PollsAnswer> {
  const wakeMs: number[] = [];
  const others: Record<string, number> = {};
  for (const answer of await Promise.allSettled(underWay)) {
    if (answer.status === 'rejected') others['broken'] = (others['broken'] ?? 0) + 1;
    else if (answer.value.status === 200 && answer.value.generation.completed_at !== null)
      wakeMs.push(answer.value.at - Date.parse(answer.value.generation.completed_at));
    else {
      const name = `${answer.value.status} ${answer.value.generation.status}`;
      others[name] = (others[name] ?? 0) + 1;
    }
  }
  return { wakeMs, others };
}
