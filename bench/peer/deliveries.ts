import { createHmac } from 'node:crypto';
import { Worker } from 'bullmq';
import type pg from 'pg';
import { Agent, request } from 'undici';
import { type Addresses, openRedis } from './connections.ts';
import { settings } from './settings.ts';

export type DeliveryJob = { id: string; endpointId: string; url: string; secret: string; body: string };

/** Posts what waits, signed, and notes in its row what came of it. */
export function startDeliveries(addresses: Addresses, pool: pg.Pool): void {
  const agent = new Agent({ keepAliveTimeout: 60_000, headersTimeout: settings.webhookTimeoutMs });
  const worker = new Worker<DeliveryJob>(
    'webhooks',
    async ({ data, attemptsMade }) => {
      const status = await post(agent, data).catch(() => undefined);
      const delivered = status !== undefined && status < 300;
      await pool.query({
        name: 'delivery',
        text: 'update deliveries set status = $2, attempts = $3, updated_at = clock_timestamp() where id = $1',
        values: [data.id, delivered ? 'delivered' : 'pending', attemptsMade + 1],
      });
      if (!delivered) throw new Error(`the endpoint answered ${status}`);
    },
    { connection: openRedis(addresses), concurrency: settings.webhookConcurrency },
  );
  worker.on('error', (error) => process.stderr.write(`${error.message}\n`));
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
