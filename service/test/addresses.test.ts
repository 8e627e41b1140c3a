import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { exampleEditModel } from '@renderkit/contract/studio/examples/models.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import { publicMessage } from '@renderkit/egress/egress-refusal.ts';
import { dnsResolver } from '@renderkit/egress/resolve-name.ts';
import { type DnsAnswer, type DnsServer, startDnsServer } from '@renderkit/egress/testing/dns-server.ts';
import { assertProblem } from './assert-problem.ts';
import { type ConsoleCaller, signedIn } from './console-caller.ts';
import { type FileServer, startFileServer } from './file-server.ts';
import { startTestService, type TestService } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { scriptRenders } from './scripted-renders.ts';

// Tests the addresses that people and programs send to each route that takes them: webhook endpoints, uploads and
// references. The operator allows 127.0.0.0/8. A real name server runs on this machine.

/** The DNS answers for names below example.com; a test may change them. */
const names: Record<string, DnsAnswer> = {};
let dns: DnsServer;
let service: TestService;
let files: FileServer;
let receiver: Receiver;
let person: ConsoleCaller;
let key: string;
before(async () => {
  dns = await startDnsServer((name) => names[name] ?? {});
  service = await startTestService({
    config: { egressAllow: ['127.0.0.0/8'] },
    resolver: dnsResolver({ servers: [dns.address] }),
    deliveryPollMs: 50,
  });
  scriptRenders(service.studio);
  service.studio.catalog.models.push(exampleEditModel({ id: 'edits', default_for: [] }));
  files = await startFileServer();
  receiver = await startReceiver();
  person = await signedIn(service);
  key = await service.createKey();
});
after(async () => {
  await service[Symbol.asyncDispose]();
  for (const one of [files, receiver, dns]) await one[Symbol.asyncDispose]();
});

const edit = (image: string) => ({ image, prompt: 'in winter', model: 'edits' });
/** Sends an address to every route that takes one. Returns the refusals with their fields. */
async function refusals(url: string): Promise<{ field: string; message: string }[]> {
  const answers = [
    await person.browser.ask('/console/api/webhooks', { body: { url, events: [] } }),
    await service.ask('/v1/uploads', { key, body: { url } }),
    await service.ask('/v1/images/edits', { key, body: edit(url) }),
    await service.ask('/v1/estimate', { key, body: { ...edit(url), kind: 'image_edit' } }),
  ];
  return answers.map((answer, i) => {
    assertProblem(answer, 'invalid_request', `${url} at door ${i}: ${answer.text}`);
    const { errors = [] } = JSON.parse(answer.text) as Problem;
    assert.equal(errors.length, 1, answer.text);
    return errors[0] ?? assert.fail();
  });
}

test('an address without a possible host is refused by the name of its field, and says why', async () => {
  const cases: readonly [url: string, words: RegExp][] = [
    ['https://..:18443', /empty part/],
    ['https://a..example.com/', /empty part/],
    ['https://example.com./', /ends with a dot/],
    [`https://${'a'.repeat(64)}.example.com/`, /more than 63/],
    [`https://${'a.'.repeat(124)}example/`, /more than 253/],
    ['https://134744072/', /four decimal numbers/],
    ['https://1.2.3.4.5/', /no IPv4 address/],
    ['https://[fe80::1%25eth0]/', /zone/],
    ['https://a b/', /cannot be read/],
    ['https://xn--a.example.com/', /Punycode/],
    ['https://user:word@example.com/', /user name/],
    ['https://example.com/#part', /fragment/],
    ['https://example.com:0/', /port/],
    ['https://example.com:65536/', /port/],
    ['https://hooks.invalid/', /reserved/],
  ];
  for (const [url, words] of cases) {
    const told = await refusals(url);
    assert.deepEqual(
      told.map(({ field }) => field),
      ['url', 'url', 'image', 'image'],
    );
    const [webhook, upload, ...references] = told.map(({ message }) => message);
    for (const message of [webhook, ...references]) assert.match(message ?? '', words, url);
    // The contract already validates the format of an upload's address, so some routes refuse with other words.
    if (upload?.startsWith('must be a whole address') !== true) assert.match(upload ?? '', words, url);
  }
  assert.deepEqual((await person.call('listWebhooks')).data, []);
});

test('http is for the networks that the operator allows, and DNS tells at once which names lead there', async () => {
  const { port } = new URL(files.url);
  Object.assign(names, {
    'outside.example.com': { a: ['93.184.216.34'] },
    'mixed.example.com': { a: ['127.0.0.1', '93.184.216.34'] },
    'private.example.com': { a: ['10.0.0.1'] },
    'inside.example.com': { a: ['127.0.0.1'] },
  });
  for (const host of ['outside', 'mixed', 'private', 'unknown'])
    for (const { message } of await refusals(`http://${host}.example.com:${port}/lake.png`))
      assert.match(message, /must begin with https.*networks that the operator allows/, host);
  const [webhook, ...others] = await refusals(`http://8.8.8.8:${port}/lake.png`);
  assert.match(webhook?.message ?? '', /EGRESS_ALLOW/);
  for (const { message } of others) assert.equal(message, publicMessage);
  assert.deepEqual(files.asked, []);

  const inside = `http://inside.example.com:${port}/lake.png`;
  const upload = await service.ask('/v1/uploads', { key, body: { url: inside } });
  assert.equal(upload.status, 201, upload.text);
  const estimate = await service.ask('/v1/estimate', { key, body: { ...edit(inside), kind: 'image_edit' } });
  assert.equal(estimate.status, 200, estimate.text);
  const url = `http://inside.example.com:${new URL(receiver.url).port}/hook`;
  const { id } = await person.call('createWebhook', { body: { url, events: [] } });
  await person.call('pingWebhook', { params: { id } });
  assert.equal((await receiver.until(1))[0]?.path, '/hook');
});

test('an http name that leads elsewhere by the time of the request is refused there', async () => {
  const asked = files.asked.length;
  names['moving.example.com'] = { a: ['127.0.0.1'] };
  const url = `http://moving.example.com:${new URL(receiver.url).port}/moving`;
  const webhook = await person.call('createWebhook', { body: { url, events: [] } });
  names['moving.example.com'] = { a: ['93.184.216.34'] };
  const ping = await person.call('pingWebhook', { params: { id: webhook.id } });
  assert.equal((await firstAttempt(ping.id)).failure, 'blocked_address');
  assert.ok(!receiver.received.some(({ path }) => path === '/moving'));

  // The create gets the first answer; each answer covers both kinds of addresses.
  let answers = 0;
  Object.defineProperty(names, 'turning.example.com', {
    get: () => ({ a: [answers++ < 2 ? '127.0.0.1' : '93.184.216.34'] }),
  });
  const image = `http://turning.example.com:${new URL(files.url).port}/lake.png`;
  const created = await service.ask<Generation>('/v1/images/edits', { key, body: edit(image) });
  assert.equal(created.status, 202, created.text);
  const ended = await service.ask<Generation>(`/v1/generations/${created.body.id}?wait=20`, { key });
  assert.deepEqual([ended.body.status, ended.body.error?.code], ['failed', 'unprocessable']);
  assert.equal(files.asked.length, asked);
});

async function firstAttempt(deliveryId: string) {
  const first = async () =>
    (await person.call('getDelivery', { params: { id: deliveryId } })).attempts_made[0];
  return until('the end of the attempt', first, { isSo: ({ ended_at: endedAt }) => endedAt !== null });
}
