import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { soaking } from '@renderkit/server-kit/testing/soak.ts';
import { createClient, untilEnded } from './harness/client.ts';
import { startPlatform } from '@renderkit/stack/testing/platform.ts';

const burstMs = soaking ? 10_000 : 2_000;
/**
 * The pause between creates, all of which are rendered in the end, and between prices, all of which reach every
 * service.
 */
const pauseMs = soaking ? 25 : 75;

const manifest = (credits: number) => `manifest: 1
id: priced
name: Priced
suites: [image]
batch_size: { Conjure: 1 }
parameters: { aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }] }
price: { base_millicredits: ${credits * 1_000} }
routes:
  - { name: drawn, engine: procedural, on: [procedural], model: atelier, outputs: { kind: image, max_per_job: 1 } }
`;

test('while prices are published, two services accept nothing at a price that the studio does not charge', async (t) => {
  await using platform = await startPlatform({ services: 2 });
  const file = path.join(platform.directory, 'priced.model.yaml');
  const publish = async (credits: number) => {
    await writeFile(file, manifest(credits));
    await platform.operator('apply', '--file', file);
  };
  await publish(1);
  const who = await platform.createAccount({ credits: 100_000 });
  const key = await platform.createKey(who);
  const clients = platform.serviceUrls.map((url) => createClient(url, key));
  const [one] = clients;
  assert.ok(one);
  await sleep(2_000);
  // Accepted generations wait: nothing is rendered until the prices no longer change.
  for (const worker of platform.workers) await worker.kill('SIGTERM');

  const accepted = new Map<string, number>();
  let prices = 1;
  const burst = new AbortController();
  const creating = clients.map(async (client) => {
    while (!burst.signal.aborted) {
      const { status, body, text } = await client.create({ model: 'priced' });
      assert.equal(status, 202, text);
      accepted.set(body.id, body.cost.credits);
      await sleep(pauseMs);
    }
  });
  const deadline = performance.now() + burstMs;
  while (performance.now() < deadline) {
    await publish(++prices);
    await sleep(pauseMs);
  }
  // Every service uses the price two seconds after the command has ended.
  await sleep(2_000);
  for (const client of clients) {
    const { body } = await client.create({ model: 'priced' });
    assert.equal(body.cost.credits, prices);
    accepted.set(body.id, body.cost.credits);
  }
  burst.abort();
  await Promise.all(creating);

  for (const worker of platform.workers) await worker.start();
  const ended = await untilEnded(one, [...accepted.keys()]);
  assert.deepEqual(new Set(ended.map(({ status }) => status)), new Set(['succeeded']));
  const charged = await platform.databases.studio.rows<{ token: string; credits: number }>(
    `select token, -sum(amount_millicredits)::integer / 1000.0 as credits from ledger
     where account_id = $1 and token is not null group by token`,
    [who.studioAccountId],
  );
  assert.deepEqual(
    Object.fromEntries(charged.map(({ token, credits }) => [token, credits])),
    Object.fromEntries(accepted),
  );
  t.diagnostic(`${accepted.size} creates at ${new Set(accepted.values()).size} of ${prices} prices`);
});
