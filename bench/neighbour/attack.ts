// Attacks of one key that is a bad neighbour, from a separate process with the lowest priority: real clients are on
// other machines.

import { Agent, type IncomingMessage, request } from 'node:http';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { largeBodies } from '@renderkit/service/validation/testing/large-body-shapes.ts';
import { serveParent } from '../child.ts';
import { noisePng } from './noise-png.ts';

export type AttackName = 'bodies' | 'masks' | 'uploads' | 'held' | 'streams';
export type Target = { url: string; keys: string[]; image: string };
export type AttackQuestion =
  | { begin: AttackName }
  /** Sends one body of this shape; the answer is its name, undefined if there is no such shape. */
  | { shape: number }
  /** Ends the attack; the answer is how often each status came. */
  | 'end';

type Shot = {
  method?: 'GET';
  path: string;
  key: string;
  contentType?: string;
  body?: Buffer;
  /** Pause before the next request, in milliseconds. */
  pauseMs?: number;
};

const lowestPriority = 19;
/** An attacker that is answered 429 or 503 repeats after this time. */
const laterMs = 1_000;
const edits = '/v1/images/edits';
const json = 'application/json';
const boundary = 'renderkit-bench-boundary';
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

setPriority(lowestPriority);

await serveParent(async (target: Target) => {
  const key = target.keys[0] as string;
  const shapes = largeBodies(() => 1);
  let bodies: Shot[] | undefined;
  const bodiesOnce = () =>
    (bodies ??= shapes.map(({ bytes }) => ({ path: edits, key, contentType: json, body: bytes })));
  let ended: AbortController | undefined;
  let statuses: Record<string, number> = {};
  let loops: Promise<void>[] = [];
  const loop = async (next: (n: number) => Shot, signal: AbortSignal) => {
    for (let n = 0; !signal.aborted; n++) {
      const shot = next(n);
      const status = await send(target.url, shot, signal);
      if (signal.aborted) return;
      statuses[status] = (statuses[status] ?? 0) + 1;
      const pauseMs = status === 429 || status === 503 ? laterMs : shot.pauseMs;
      if (pauseMs !== undefined) await sleep(pauseMs);
    }
  };
  return async (question: AttackQuestion) => {
    if (question === 'end') {
      ended?.abort();
      await Promise.all(loops);
      return statuses;
    }
    if ('shape' in question) {
      const shape = shapes[question.shape];
      const shot = shape && { path: edits, key, contentType: json, body: shape.bytes };
      if (shot !== undefined) await send(target.url, shot, new AbortController().signal);
      return shape?.name;
    }
    ended = new AbortController();
    const { signal } = ended;
    statuses = {};
    loops = attackers(question.begin, target, bodiesOnce).map((next) => loop(next, signal));
    return undefined;
  };
});

/** Returns a function for each request that is in progress at the same time: it returns the n-th request to send. */
function attackers(name: AttackName, target: Target, bodies: () => Shot[]): ((n: number) => Shot)[] {
  const { keys, image } = target;
  const key = keys[0] as string;
  const many = (count: number, next: (attacker: number, n: number) => Shot) =>
    Array.from({ length: count }, (_, attacker) => (n: number) => next(attacker, n));
  if (name === 'bodies') {
    const all = bodies();
    return many(8, (attacker, n) => all[(attacker * 5 + n) % all.length] as Shot);
  }
  if (name === 'masks') {
    const mask = `data:image/png;base64,${noisePng(1_730).toString('base64')}`;
    const members = { image, mode: 'inpaint', prompt: 'a quiet lake', mask };
    const shot = { path: edits, key, contentType: json, body: Buffer.from(JSON.stringify(members)) };
    return many(8, () => shot);
  }
  if (name === 'uploads') {
    const shot = uploadOf(key, noisePng(580));
    return many(300, () => shot);
  }
  const create = (path: string, prompt: string) => ({
    path,
    key,
    contentType: json,
    body: Buffer.from(JSON.stringify({ prompt })),
  });
  if (name === 'held')
    return many(500, (attacker, n) => create('/openai/v1/images/generations', `a lake, ${attacker} ${n}`));
  const stream = (attacker: number): Shot => ({
    method: 'GET',
    path: '/v1/events',
    key: keys[attacker % keys.length] as string,
  });
  // All streams receive what is made: fifty generations a second.
  const told = (attacker: number, n: number): Shot => ({
    ...create('/v1/images/generations', `a stream, ${attacker} ${n}`),
    pauseMs: 100,
  });
  return [...many(200, stream), ...many(5, told)];
}

/** Returns an upload of one picture, as a form. */
function uploadOf(key: string, picture: Buffer): Shot {
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="noise.png"\r\ncontent-type: image/png\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), picture, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { path: '/v1/uploads', key, contentType: `multipart/form-data; boundary=${boundary}`, body };
}

/** Returns the status of the answer; 0 if the connection broke. */
function send(url: string, shot: Shot, signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${shot.key}`,
      ...(shot.contentType !== undefined && { 'content-type': shot.contentType }),
      ...(shot.body !== undefined && { 'content-length': shot.body.length }),
    };
    const onResponse = (response: IncomingMessage) => {
      const status = response.statusCode ?? 0;
      response
        .on('close', () => resolve(status))
        .on('error', () => undefined)
        .resume();
    };
    request(url + shot.path, { agent, method: shot.method ?? 'POST', headers, signal })
      .on('response', onResponse)
      .on('error', () => resolve(0))
      .end(shot.body);
  });
}
