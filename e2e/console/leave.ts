import assert from 'node:assert/strict';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Page } from 'playwright-core';
import { createClient } from '../harness/client.ts';
import { thanks } from '../harness/receiver.ts';
import type { ConsoleWorld, Person } from './world.ts';

/**
 * Leaves the world as the next file expects it, however far the tests came. No generation of the person's account runs,
 * the receiver answers as at first, and the pages are closed.
 */
export async function leave(world: ConsoleWorld, who: Person, page: Page): Promise<void> {
  world.receiver.answer = thanks;
  try {
    await stopAll(world, who);
  } finally {
    await page.context().close();
  }
}

async function stopAll({ platform, url }: ConsoleWorld, { email }: Person): Promise<void> {
  // Newest first: those wait, and would start when others are stopped.
  const open = () =>
    platform.databases.service.rows<{ id: string }>(
      `select g.id from generations g join accounts a on a.id = g.account_id
        where a.email = $1 and g.status in ('queued', 'running') order by g.created_at desc`,
      [email],
    );
  const found = await open();
  if (found.length === 0) return;
  // The person may have revoked all keys and signed out, so this uses a new key.
  const client = createClient(url, await platform.createKey({ email, studioAccountId: '' }));
  for (const { id } of found) {
    const { status, text } = await client.call('POST', `/v1/generations/${id}/stop`);
    if (status !== 202) assert.ok(!(await open()).some((one) => one.id === id), `${status}: ${text}`);
  }
  await until('all has ended', async () => (await open()).length === 0);
}
