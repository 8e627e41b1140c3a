// The baseline: Fastify alone, which answers the same bytes to every request.

import Fastify from 'fastify';
import { serveParent } from '../child.ts';

export type BareAnswer = { port: number; body: string; headers: Record<string, string> };

await serveParent(async ({ port, body, headers }: BareAnswer) => {
  const server = Fastify();
  server.get('/v1/generations/:id', (_request, reply) => reply.headers(headers).send(body));
  await server.listen({ host: '127.0.0.1', port });
  return async () => undefined;
});
