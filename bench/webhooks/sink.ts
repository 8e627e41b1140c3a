// A receiver of webhooks in a separate process. Answers `/ok/…` with 204 at once, `/hang/…` never.

import { createServer } from 'node:http';
import { serveParent } from '../child.ts';

export type SinkQuestion = 'count' | 'latencies';
export type SinkLatencies = { milliseconds: number[] };

await serveParent(async ({ port }: { port: number }) => {
  let count = 0;
  let arrivals: { at: number; body: Buffer }[] = [];
  let keeps = false;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/hang/') === true) {
      request.resume();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      count++;
      if (keeps) arrivals.push({ at: Date.now(), body: Buffer.concat(chunks) });
      response.writeHead(204).end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return async (question: SinkQuestion): Promise<unknown> => {
    if (question === 'count') return count;
    // For each arrival since the last such question: how long after its event's own time it came.
    const kept = arrivals;
    arrivals = [];
    keeps = true;
    return {
      milliseconds: kept.map(({ at, body }) => {
        const { created_at } = JSON.parse(body.toString()) as { created_at: string };
        return at - Date.parse(created_at);
      }),
    } satisfies SinkLatencies;
  };
});
