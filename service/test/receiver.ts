import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that a receiver got. */
export type Received = {
  path: string;
  headers: IncomingMessage['headers'];
  /** The unparsed bytes. */
  body: Buffer;
  event: { id: string; type: string; created_at: string; data: Record<string, unknown> };
  delivery: string;
  /** Time of arrival, by performance.now(). */
  at: number;
};

export type Receiver = AsyncDisposable & {
  url: string;
  received: Received[];
  /** Answers a request, for example by its path; default 200. */
  answer: (request: Received, response: ServerResponse) => void;
  /** Waits until `count` requests have come. */
  until: (count: number, ms?: number) => Promise<Received[]>;
};

/** Starts an HTTP server on loopback that receives webhooks. Services that deliver to it need EGRESS_ALLOW. */
export async function startReceiver(): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const received: Received = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        event: JSON.parse(body.toString()) as Received['event'],
        delivery: String(request.headers['service-delivery']),
        at: performance.now(),
      };
      receiver.received.push(received);
      receiver.answer(received, response);
      for (const look of waiting) look();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: (_request, response) => response.end('thank you'),
    until: (count, ms = 60_000) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (receiver.received.length < count) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(receiver.received);
        };
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`${receiver.received.length} of ${count} requests came in ${ms} ms`));
        }, ms);
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
