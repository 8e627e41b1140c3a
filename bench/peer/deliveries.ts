import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'bullmq';
import type pg from 'pg';
import { Agent, request } from 'undici';
import { type Addresses, openRedis } from './connections.ts';
import { settings } from './settings.ts';

export type DeliveryJob = { id: string; endpointId: string; url: string; secret: string; body: string };

/** Posts waiting deliveries, signed, and records the outcome in their rows. */
export function startDeliveries(addresses: Addresses, pool: pg.Pool): void {
  const agent = new Agent({ keepAliveTimeout: 60_000, headersTimeout: settings.webhookTimeoutMs });
  const record = openRecord(pool);
  const worker = new Worker<DeliveryJob>(
    'webhooks',
    async ({ data, attemptsMade }) => {
      const status = await post(agent, data).catch(() => undefined);
      const delivered = status !== undefined && status < 300;
      await record({ id: data.id, status: delivered ? 'delivered' : 'pending', attempts: attemptsMade + 1 });
      if (!delivered) throw new Error(`the endpoint answered ${status}`);
    },
    { connection: openRedis(addresses), concurrency: settings.webhookConcurrency },
  );
  worker.on('error', (error) => process.stderr.write(`${error.message}\n`));
}

type Outcome = { id: string; status: string; attempts: number };

/**
 * Returns a function that writes outcomes: those of some milliseconds in one statement. Resolves once an outcome is
 * written.
 */
function openRecord(pool: pg.Pool): (outcome: Outcome) => Promise<void> {
  let batch: { outcomes: Outcome[]; written: Promise<void> } | undefined;
  const write = async (outcomes: readonly Outcome[]) => {
    await sleep(settings.recordMs);
    batch = undefined;
    await pool.query({
      name: 'deliveries',
      text: `update deliveries d set status = o.status, attempts = o.attempts, updated_at = clock_timestamp()
               from unnest($1::text[], $2::text[], $3::integer[]) as o (id, status, attempts) where d.id = o.id`,
      values: [
        outcomes.map(({ id }) => id),
        outcomes.map(({ status }) => status),
        outcomes.map(({ attempts }) => attempts),
      ],
    });
  };
  return (outcome) => {
    if (batch === undefined) {
      const outcomes: Outcome[] = [];
      batch = { outcomes, written: write(outcomes) };
    }
    batch.outcomes.push(outcome);
    return batch.written;
  };
}

async function post(agent: Agent, { url, secret, body, id }: DeliveryJob): Promise<number> {
  const at = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64');
  const answer = await request(url, {
    method: 'POST',
    dispatcher: agent,
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': `v1,${signature}`,
    },
  });
  await answer.body.dump();
  return answer.statusCode;
}
