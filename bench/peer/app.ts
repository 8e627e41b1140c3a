// What a good engineer would write in a week: Fastify, pg with one query for each need, Redis for rate limits, BullMQ for
// jobs and webhooks. A process of its own; it is asked to write deliveries and to start them.

import { createHash } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import { newId } from '@renderkit/server-kit/ids.ts';
import { Queue } from 'bullmq';
import Fastify, { type FastifyRequest } from 'fastify';
import type pg from 'pg';
import { serveParent } from '../child.ts';
import { type Addresses, openPool, openRedis } from './connections.ts';
import { settings } from './settings.ts';
import { type DeliveryJob, startDeliveries } from './deliveries.ts';

export type AppQuestion =
  /** Writes a delivery of each of so many events to each endpoint; they wait. */
  | { write: number; body: string }
  /** Lets them go. */
  | 'deliver';

const price = 4_000;
const body = {
  type: 'object',
  required: ['prompt'],
  additionalProperties: false,
  properties: {
    prompt: { type: 'string', minLength: 1, maxLength: 4_000 },
    model: { type: 'string', maxLength: 100 },
  },
} as const;

await serveParent(async (addresses: Addresses & { port: number }) => {
  const pool = openPool(addresses);
  const redis = openRedis(addresses);
  const renders = new Queue('renders', { connection: redis });
  const webhooks = new Queue<DeliveryJob>('webhooks', { connection: redis });
  await webhooks.pause();
  startDeliveries(addresses, pool);
  const app = Fastify();
  await app.register(rateLimit, {
    max: settings.ratePerMinute,
    timeWindow: '1 minute',
    redis,
    hook: 'preHandler',
    keyGenerator: accountOf,
  });
  app.decorateRequest('accountId', '');
  app.addHook('onRequest', (request) => authenticate(pool, request));
  app.get<{ Params: { id: string } }>('/v1/generations/:id', async (request, reply) => {
    // As text: to parse it and write it again would be for nothing.
    const { rows } = await pool.query<{ body: string }>({
      name: 'read',
      text: 'select body::text as body from generations where id = $1 and account_id = $2',
      values: [request.params.id, accountOf(request)],
    });
    return rows[0] === undefined
      ? reply.code(404).send({ code: 'not_found' })
      : reply.type('application/json').send(rows[0].body);
  });
  app.post<{ Body: { prompt: string } }>(
    '/v1/images/generations',
    { schema: { body } },
    async (request, reply) => {
      const made = await create(pool, accountOf(request), hashOf(request), request.body);
      if (made === undefined) return reply.code(402).send({ code: 'insufficient_credits' });
      await renders.add('render', { id: made.id }, { removeOnComplete: settings.keptJobs });
      return reply.code(202).send(made);
    },
  );
  await app.listen({ host: '127.0.0.1', port: addresses.port });
  return async (question: AppQuestion) => {
    if (question === 'deliver') return webhooks.resume();
    await webhooks.pause();
    return writeDeliveries(pool, webhooks, question);
  };
});

function accountOf(request: FastifyRequest): string {
  return (request as FastifyRequest & { accountId: string }).accountId;
}

function hashOf(request: FastifyRequest): string {
  return createHash('sha256')
    .update(request.headers.authorization?.slice('Bearer '.length) ?? '')
    .digest('hex');
}

async function authenticate(pool: pg.Pool, request: FastifyRequest): Promise<void> {
  const { rows } = await pool.query<{ account_id: string }>({
    name: 'key',
    text: 'select account_id from api_keys where sha256 = $1',
    values: [hashOf(request)],
  });
  if (rows[0] === undefined) throw Object.assign(new Error('This key is not known.'), { statusCode: 401 });
  (request as FastifyRequest & { accountId: string }).accountId = rows[0].account_id;
}

/** Within the budget of the key and the balance of its account. */
async function create(pool: pg.Pool, accountId: string, key: string, request: { prompt: string }) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const spent = await client.query({
      name: 'spend',
      text: 'update api_keys set spent = spent + $2 where sha256 = $1 and spent + $2 <= budget',
      values: [key, price],
    });
    const paid = await client.query({
      name: 'pay',
      text: 'update accounts set balance = balance - $2 where id = $1 and balance >= $2',
      values: [accountId, price],
    });
    if (spent.rowCount !== 1 || paid.rowCount !== 1) {
      await client.query('rollback');
      return undefined;
    }
    const id = newId('gen_');
    const made = {
      id,
      object: 'generation',
      status: 'queued',
      ...request,
      cost: { credits: price / 1_000 },
      outputs: [],
    };
    await client.query({
      name: 'insert',
      text: `insert into generations (id, account_id, status, body) values ($1, $2, 'queued', $3)`,
      values: [id, accountId, made],
    });
    await client.query('commit');
    return made;
  } finally {
    client.release();
  }
}

async function writeDeliveries(
  pool: pg.Pool,
  queue: Queue<DeliveryJob>,
  { write, body: text }: { write: number; body: string },
) {
  const { rows: endpoints } = await pool.query<{ id: string; url: string; secret: string }>(
    'select id, url, secret from endpoints',
  );
  for (let n = 0; n < write; n++) {
    const jobs = endpoints.map(({ id, url, secret }) => ({
      id: newId('dlv_'),
      endpointId: id,
      url,
      secret,
      body: text,
    }));
    await pool.query(
      `insert into deliveries (id, endpoint_id, status, attempts)
       select id, endpoint, 'pending', 0 from unnest($1::text[], $2::text[]) as d (id, endpoint)`,
      [jobs.map(({ id }) => id), jobs.map(({ endpointId }) => endpointId)],
    );
    await queue.addBulk(
      jobs.map((data) => ({
        name: 'deliver',
        data,
        opts: {
          attempts: settings.webhookAttempts,
          backoff: { type: 'exponential', delay: settings.webhookBackoffMs },
          removeOnComplete: settings.keptJobs,
        },
      })),
    );
  }
}
