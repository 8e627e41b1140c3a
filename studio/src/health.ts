import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { FastifyInstance } from 'fastify';

/** Alive: the process answers. Ready: the database does too. */
export function healthRoutes(app: FastifyInstance, database: Database): void {
  app.get('/healthz', async (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    await database.rows('select clock()');
    return reply.send({ status: 'ready' });
  });
}
