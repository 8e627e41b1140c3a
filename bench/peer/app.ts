// What a good engineer would write in a week: Fastify, pg with one statement for each need, Redis for rate limits,
// BullMQ for jobs and webhooks. Runs in a separate process, which is asked to write deliveries and to start them.

import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
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
  /** Writes, for each of so many events, a delivery to each endpoint; the deliveries wait. */
  | { write: number; body: string }
  /** Starts the deliveries. */
  | 'deliver'
  /** From now on renders wait. */
  | 'hold renders'
  /** Starts the waiting renders, and waits until none is left. */
  | 'drain renders';

const price = 4_000;
const drainPollMs = 20;
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
  const accountOfKey = openKeys(pool);
  app.decorateRequest('accountId', '');
  app.decorateRequest('key', '');
  app.addHook('onRequest', async (request) => {
    const own = request as Asked;
    own.key = hash('sha256', request.headers.authorization?.slice('Bearer '.length) ?? '');
    const accountId = await accountOfKey(own.key);
    if (accountId === undefined)
      throw Object.assign(new Error('This key is not known.'), { statusCode: 401 });
    own.accountId = accountId;
  });
  app.get<{ Params: { id: string } }>('/v1/generations/:id', async (request, reply) => {
    const { rows } = await pool.query<{ body: string }>({
      name: 'read',
      text: 'select body from generations where id = $1 and account_id = $2',
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
      const made = await create(pool, request as Asked, request.body);
      if (made === undefined) return reply.code(402).send({ code: 'insufficient_credits' });
      await renders.add('render', { id: made.id }, { removeOnComplete: true });
      return reply.code(202).type('application/json').send(made.text);
    },
  );
  await app.listen({ host: '127.0.0.1', port: addresses.port });
  return async (question: AppQuestion) => {
    if (question === 'hold renders') return renders.pause();
    if (question === 'drain renders') return drain(renders);
    if (question === 'deliver') return webhooks.resume();
    await webhooks.pause();
    return writeDeliveries(pool, webhooks, question);
  };
});

type Asked = FastifyRequest & { accountId: string; key: string };

/** Starts the waiting jobs of a queue, and waits until none is left. */
async function drain(queue: Queue): Promise<void> {
  await queue.resume();
  for (;;) {
    const counts = await queue.getJobCounts('waiting', 'active');
    if (Object.values(counts).every((count) => count === 0)) return;
    await sleep(drainPollMs);
  }
}

function accountOf(request: FastifyRequest): string {
  return (request as Asked).accountId;
}

/**
 * Returns a function that finds the account of a key. Results are cached for a second at most, so that a key that was
 * removed is soon refused.
 */
function openKeys(pool: pg.Pool): (key: string) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  setInterval(() => known.clear(), settings.keysKeptMs);
  const select = async (key: string) => {
    const { rows } = await pool.query<{ account_id: string }>({
      name: 'key',
      text: 'select account_id from api_keys where sha256 = $1',
      values: [key],
    });
    return rows[0]?.account_id;
  };
  return (key) => {
    let found = known.get(key);
    if (found === undefined) {
      found = select(key);
      known.set(key, found);
      found.catch(() => known.delete(key));
    }
    return found;
  };
}

/**
 * Creates a generation within the budget of the key and the balance of its account; undefined if either does not
 * suffice.
 */
async function create(pool: pg.Pool, { accountId, key }: Asked, request: { prompt: string }) {
  const id = newId('gen_');
  const text = JSON.stringify({
    id,
    object: 'generation',
    status: 'queued',
    ...request,
    cost: { credits: price / 1_000 },
    outputs: [],
  });
  // Locks the account's row first, so that two parallel creates cannot both see enough.
  const { rowCount } = await pool.query({
    name: 'create',
    text: `with payer as (select id from accounts where id = $1 and balance >= $3 for update),
      spent as (update api_keys set spent = spent + $3 from payer
                 where sha256 = $2 and spent + $3 <= budget returning sha256),
      paid as (update accounts set balance = balance - $3 from spent where id = $1 returning id)
    insert into generations (id, account_id, status, body) select $4, paid.id, 'queued', $5 from paid`,
    values: [accountId, key, price, id, text],
  });
  return rowCount === 1 ? { id, text } : undefined;
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
          removeOnComplete: true,
        },
      })),
    );
  }
}
