// Takes jobs as an engine would, and draws nothing. Where the time until a job is taken is measured, our side renders
// nothing either.

import { Worker } from 'bullmq';
import { serveParent } from '../child.ts';
import { type Addresses, openPool, openRedis } from './connections.ts';
import { settings } from './settings.ts';

await serveParent(async (addresses: Addresses) => {
  const pool = openPool(addresses);
  const worker = new Worker<{ id: string }>(
    'renders',
    async ({ data }) => {
      await pool.query({
        name: 'submit',
        text: `update generations set status = 'running', submitted_at = clock_timestamp() where id = $1`,
        values: [data.id],
      });
    },
    { connection: openRedis(addresses), concurrency: settings.renderConcurrency },
  );
  worker.on('error', (error) => process.stderr.write(`${error.message}\n`));
  await worker.waitUntilReady();
  return async () => undefined;
});
