import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import type { Storage } from '@renderkit/contract/v1/schemas/storage.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { createClient, untilEnded } from './harness/client.ts';
import type { Platform, PlatformAccount } from '@renderkit/stack/testing/platform.ts';
import { sharedPlatform } from '@renderkit/stack/testing/shared-platform.ts';

// Tests what an account stores with the real service and the real studio: it is reported, limited, and freed.

const megabyte = 1024 * 1024;
let platform: Platform;
let who: PlatformAccount;
let key: string;
before(async () => {
  platform = await sharedPlatform();
  who = await platform.createAccount({ tier: 'pro' });
  key = await platform.createKey(who);
});

/** A PNG of one pixel. Bytes after its end are stored with it. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);
const bytes = Buffer.concat([pixel, Buffer.alloc(megabyte)]);

const client = () => createClient(platform.serviceUrls[0] ?? '', key);
const storage = async () => (await client().call<Storage>('GET', '/v1/account/storage')).body;
const limitTo = (megabytes: number | 'plan') =>
  platform.operator('account', 'set', '--email', who.email, '--storage-mb', String(megabytes));
async function send(): Promise<{ status: number; body: Upload & Pick<Problem, 'code' | 'detail'> }> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'pixel.png');
  const answer = await fetch(`${platform.serviceUrls[0]}/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  return { status: answer.status, body: (await answer.json()) as never };
}

test('an account is told what it stores, refused what does not fit, and gets back what it deletes', async () => {
  await limitTo(2);
  const first = await send();
  assert.equal(first.status, 201);
  assert.deepEqual(await storage(), {
    object: 'storage',
    used_bytes: bytes.length,
    limit_bytes: 2 * megabyte,
    uploads_bytes: bytes.length,
    outputs_bytes: 0,
  });

  const second = await send();
  assert.deepEqual([second.status, second.body.code], [403, 'forbidden']);
  assert.match(second.body.detail, /no room for this\. 1 MB of 2 MB of storage are used\. Delete uploads/);
  assert.equal((await storage()).used_bytes, bytes.length);

  const deleted = await client().call('DELETE', `/v1/uploads/${first.body.id}`);
  assert.deepEqual(deleted.body, { id: first.body.id, object: 'upload', deleted: true });
  assert.equal((await fetch(first.body.url)).status, 404);
  assert.equal((await storage()).used_bytes, 0);
  assert.equal((await send()).status, 201);
});

test('of ten uploads at once no more are taken than fit', async () => {
  await limitTo('plan');
  const { used_bytes: used } = await storage();
  await limitTo(Math.ceil(used / megabyte) + 3);
  const answers = await Promise.all(Array.from({ length: 10 }, () => send()));
  const stored = answers.filter(({ status }) => status === 201);
  assert.ok(stored.length >= 2, `${stored.length} were taken`);
  assert.ok(answers.every(({ status }) => status === 201 || status === 403));
  const later = await storage();
  assert.equal(later.used_bytes, used + stored.length * bytes.length);
  assert.ok(later.used_bytes <= later.limit_bytes);
});

test('a full account may not create, gets an estimate, and keeps what was accepted before', async () => {
  await limitTo('plan');
  const accepted = await client().create({ prompt: 'accepted before' });
  assert.equal(accepted.status, 202, accepted.text);
  await limitTo(0);
  const refused = await client().create({ prompt: 'too late' });
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);
  assert.match(refused.body.detail, /of 0 bytes of storage are used\. Delete/);
  const estimate = await client().call('POST', '/v1/estimate', {
    body: { kind: 'image', prompt: 'how much' },
  });
  assert.equal(estimate.status, 200, estimate.text);
  await untilEnded(client(), [accepted.body.id]);
  const { body } = await client().call<{ status: string; outputs: { id: string; url: string }[] }>(
    'GET',
    `/v1/generations/${accepted.body.id}`,
  );
  assert.equal(body.status, 'succeeded');
  const [output] = body.outputs;
  const drawn = (await (await fetch(output?.url ?? '')).arrayBuffer()).byteLength;
  const full = await storage();
  assert.equal(full.outputs_bytes, drawn);
  const removed = await client().call('DELETE', `/v1/assets/image/${output?.id}`);
  assert.equal(removed.status, 200, removed.text);
  assert.equal((await storage()).outputs_bytes, 0);
});
