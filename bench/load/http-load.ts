// Loads a server over HTTP from a separate process: takes an HttpLoad, returns an HttpLoadAnswer.

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveParent } from '../child.ts';
import { quantile } from '../statistics.ts';
import { openConnection } from './connection.ts';

export type HttpLoad = {
  url: string;
  connections: number;
} & (
  | { seconds: number }
  /** Until so many were answered: none is left in progress, however slow the server is. */
  | { requests: number }
) &
  (
    | { reads: { path: string; key: string }[] }
    /** POSTs to `path`, each with its own prompt that begins with `name`; the keys take turns. */
    | { creates: { path: string; keys: string[]; name: string } }
  );

export type HttpLoadAnswer = {
  perSecond: number;
  /** How often each status came. */
  statuses: Record<string, number>;
  /** Times of the answers, in milliseconds. */
  p50: number;
  p99: number;
};

await serveParent(async () => run);

async function run(load: HttpLoad): Promise<HttpLoadAnswer> {
  const { hostname, port } = new URL(load.url);
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  let answers = 0;
  let broken: string | undefined;
  const sockets: Socket[] = [];
  const ended = Promise.withResolvers<void>();
  const begin = performance.now();
  const wanted = 'requests' in load ? load.requests : Infinity;
  let sent = Math.min(load.connections, wanted);
  for (let n = 0; n < Math.min(load.connections, wanted); n++) {
    const next = requests(load, n);
    sockets.push(
      openConnection({
        host: hostname,
        port: Number(port),
        first: next(),
        onAnswer: (status, milliseconds) => {
          answers++;
          statuses[status] = (statuses[status] ?? 0) + 1;
          times.push(milliseconds);
          if (answers === wanted) ended.resolve();
          return sent++ < wanted ? next() : undefined;
        },
        onBroken: (reason) => {
          broken ??= reason;
          ended.resolve();
        },
      }),
    );
  }
  if ('seconds' in load) await sleep(load.seconds * 1000);
  else await ended.promise;
  const seconds = (performance.now() - begin) / 1000;
  const perSecond = answers / seconds;
  const problem = broken;
  for (const socket of sockets) socket.destroy();
  if (problem !== undefined) throw new Error(problem);
  if (answers === 0) throw new Error('no answer came in time');
  return { perSecond, statuses, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/**
 * Returns a function for the successive requests of one connection. Each connection has its own share, so that all of
 * them are in progress at the same time.
 */
function requests(load: HttpLoad, connection: number): () => Buffer {
  const { host } = new URL(load.url);
  let number = 0;
  if ('reads' in load) {
    const texts = load.reads
      .filter((_, i) => i % load.connections === connection % load.reads.length)
      .map(({ path, key }) =>
        Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`),
      );
    return () => texts[number++ % texts.length] as Buffer;
  }
  const { path, keys, name } = load.creates;
  return () => {
    const key = keys[(connection + number * load.connections) % keys.length];
    const body = JSON.stringify({
      prompt: `${name}-${connection}-${number++}: a lighthouse over a calm sea at dusk, long light, low clouds`,
    });
    return Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
}
