import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that came to a receiver. */
export type Received = {
  path: string;
  headers: IncomingMessage['headers'];
  /** The bytes as they came. */
  body: Buffer;
  event: { id: string; type: string; created_at: string; data: Record<string, unknown> };
  delivery: string;
  /** By performance.now(). */
  at: number;
};

export type Receiver = AsyncDisposable & {
  url: string;
  received: Received[];
  /** What is answered, by the path; default 200. */
  answer: (request: Received, response: ServerResponse) => void;
  /** Waits until so many have come. */
  until: (count: number, ms?: number) => Promise<Received[]>;
};

/** An HTTP server on loopback that takes webhooks. Deliverers need EGRESS_ALLOW for it. */
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
