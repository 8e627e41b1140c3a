import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidrs } from '@renderkit/egress/public-address.ts';
import { publicAddresses, ssrfCorpus } from '@renderkit/egress/testing/ssrf-corpus.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { validateEndpoint } from './validate-endpoint.ts';

const events = ['upload.ready'];
const nobody = () => Promise.reject(new Error('there is no such name'));

const validate = (url: string, addresses?: string[]) =>
  validateEndpoint(
    { url, events },
    { allow: [], resolver: addresses === undefined ? nobody : () => Promise.resolve(addresses) },
  );
const refusal = (field: string) => (error: unknown) =>
  error instanceof ApiProblem &&
  error.code === 'invalid_request' &&
  error.errors?.length === 1 &&
  error.errors[0]?.field === field;

test('no notation of an address that is not public becomes an endpoint', async () => {
  const seed = 20_261_121;
  const corpus = ssrfCorpus(seed);
  assert.ok(corpus.length > 2_000);
  for (const { authority, address, notation } of corpus)
    for (const port of ['', ':8443'])
      await assert.rejects(
        validate(`https://${authority}${port}/hook`),
        refusal('url'),
        `${address} as ${notation}, seed ${seed}`,
      );
});

test('public addresses do', async () => {
  for (const address of publicAddresses(7)) {
    const host = address.includes(':') ? `[${address}]` : address;
    assert.equal((await validate(`https://${host}/hook`)).url, `https://${host}/hook`);
  }
});

for (const url of [
  'http://example.org/',
  'ftp://example.org/',
  'https://user:word@example.org/',
  'https://example.org/#fragment',
  'https://example.org./',
  'https://..:18443',
  'https://a..example.org/',
  'https://134744072/',
  `https://${'a'.repeat(64)}.example.org/`,
  'https://[fe80::1%25eth0]/',
  'https://example.org:0/',
  'https://example.org:65536/',
  'https://a b/',
  'https://xn--a.example.org/',
  'https://hooks.invalid/',
  'https://receiver/',
  'https://example.org:25/',
  'https://example.org:6667/',
  'https://exa\nmple.org/',
  'example.org',
  'javascript:alert(1)',
  `https://example.org/${'x'.repeat(2_048)}`,
  '',
])
  test(`${JSON.stringify(url.slice(0, 40))} is no endpoint`, () =>
    assert.rejects(validate(url, ['8.8.8.8']), refusal('url')));

test('a name is refused if any of its addresses is not public, and kept if nobody knows it now', async () => {
  for (const addresses of [['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::1'], ['169.254.169.254']])
    await assert.rejects(validate('https://hooks.example/', addresses), refusal('url'));
  await assert.rejects(
    validateEndpoint({ url: 'https://localhost/', events }, { allow: [] }),
    refusal('url'),
  );
  assert.equal((await validate('https://hooks.example', ['8.8.8.8'])).url, 'https://hooks.example/');
  assert.equal((await validate('https://hooks.example/a?b=c')).url, 'https://hooks.example/a?b=c');
});

test('what the operator allows may be reached, by http too', async () => {
  const allow = parseCidrs('127.0.0.0/8');
  const { url } = await validateEndpoint({ url: 'http://127.0.0.1:9000/x', events }, { allow });
  assert.equal(url, 'http://127.0.0.1:9000/x');
  await assert.rejects(validateEndpoint({ url: 'http://8.8.8.8/x', events }, { allow }), refusal('url'));
  const named = (addresses: string[]) => {
    const resolver = () => Promise.resolve(addresses);
    return validateEndpoint({ url: 'http://receiver.example/x', events }, { allow, resolver });
  };
  assert.equal((await named(['127.0.0.9'])).url, 'http://receiver.example/x');
  for (const addresses of [['8.8.8.8'], ['127.0.0.9', '8.8.8.8'], ['10.0.0.1'], []])
    await assert.rejects(named(addresses), refusal('url'), addresses.join());
});

test('the refusal of an own machine explains how to receive there', async () => {
  const messages: string[] = [];
  for (const url of [
    'http://127.0.0.1:9000/',
    'https://127.0.0.1/',
    'https://localhost/',
    'http://a.example/',
  ])
    await validate(url).catch((error: ApiProblem) => messages.push(error.errors?.[0]?.message ?? ''));
  assert.equal(messages.length, 4);
  for (const message of messages) assert.match(message, /EGRESS_ALLOW.*127\.0\.0\.0\/8.*tunnel/);
  await assert.rejects(
    validate('https://..:18443/'),
    (error: ApiProblem) => !error.message.includes('tunnel'),
  );
});

test('events are kept once each, in the order of the contract; a ping or a made-up one is refused', async () => {
  const options = { allow: [], resolver: nobody };
  const chosen = ['upload.ready', 'generation.failed', 'upload.ready'];
  assert.deepEqual((await validateEndpoint({ url: 'https://a.example/', events: chosen }, options)).events, [
    'generation.failed',
    'upload.ready',
  ]);
  for (const type of ['ping', 'generation.canceled', ''])
    await assert.rejects(
      validateEndpoint({ url: 'https://a.example/', events: [type] }, options),
      refusal('events'),
    );
});
