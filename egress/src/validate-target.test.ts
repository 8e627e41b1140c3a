import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidrs } from './public-address.ts';
import { dnsResolver } from './resolve-name.ts';
import { startDnsServer, type DnsAnswer } from './testing/dns-server.ts';
import { validateTarget } from './validate-target.ts';

const allow = parseCidrs('10.20.0.0/16, fd00::/8');
const names: Record<string, DnsAnswer> = {
  'inside.example.com': { a: ['10.20.0.7'] },
  'both.example.com': { a: ['10.20.0.7'], aaaa: ['fd00:0:0:0:0:0:0:7'] },
  'receiver.internal': { a: ['10.20.0.8'] },
  receiver: { a: ['10.20.0.9'] },
  'outside.example.com': { a: ['93.184.216.34'] },
  'elsewhere.internal': { a: ['93.184.216.34'] },
  'mixed.example.com': { a: ['10.20.0.7', '93.184.216.34'] },
  'private.example.com': { a: ['192.168.0.1'] },
  'failing.example.com': 'failure',
};

test('what only DNS can tell is asked before a URL is saved', async () => {
  await using server = await startDnsServer((name) => names[name] ?? {});
  const resolver = dnsResolver({ servers: [server.address] });
  const outcome = (url: string, lookUp: 'all' | 'where needed' = 'all', blocks = allow) =>
    validateTarget(url, { allow: blocks, resolver, lookUp }).then(
      ({ href }) => href,
      (error: { kind: string; issue: string }) => `${error.kind}, ${error.issue}`,
    );

  for (const lookUp of ['all', 'where needed'] as const) {
    for (const host of ['inside.example.com', 'both.example.com', 'receiver.internal', 'receiver'])
      for (const scheme of ['http', 'https'])
        assert.equal(await outcome(`${scheme}://${host}/hook`, lookUp), `${scheme}://${host}/hook`);
    for (const host of [
      'outside.example.com',
      'elsewhere.internal',
      'mixed.example.com',
      'private.example.com',
      'failing.example.com',
      'nobody.example.com',
      'localhost',
    ])
      assert.equal(await outcome(`http://${host}/`, lookUp), 'blocked, network', host);
    for (const host of ['elsewhere.internal', 'nobody.internal', 'localhost'])
      assert.equal(await outcome(`https://${host}/`, lookUp), 'blocked, network', host);
    // Nothing is listed: http and local names are refused without a look-up.
    const before = server.questions;
    for (const url of ['http://inside.example.com/', 'http://receiver/', 'https://receiver.internal/'])
      assert.equal(await outcome(url, lookUp, []), 'blocked, network', url);
    assert.equal(server.questions, before);
  }

  assert.equal(await outcome('https://outside.example.com/'), 'https://outside.example.com/');
  assert.equal(await outcome('https://nobody.example.com/'), 'https://nobody.example.com/');
  assert.equal(await outcome('https://private.example.com/'), 'blocked, address');
  const before = server.questions;
  assert.equal(await outcome('https://private.example.com/', 'where needed'), 'https://private.example.com/');
  assert.equal(server.questions, before);
});

test('what is dropped or means nothing is refused before a URL is saved', async () => {
  for (const [url, words] of [
    ['https://example.com/a#b', /fragment/],
    ['https://example.com/#', /fragment/],
    ['https://example.com#b', /fragment/],
    ['https://example.com./', /ends with a dot/],
    ['https://example.com.:8443/', /ends with a dot/],
    ['https://..:18443/', /empty part/],
  ] as const)
    await assert.rejects(
      validateTarget(url, { allow: [], resolver: () => Promise.resolve(['93.184.216.34']), lookUp: 'all' }),
      (error: { kind: string; issue: string; message: string }) =>
        error.kind === 'blocked' && error.issue === 'form' && words.test(error.message),
      url,
    );
});

test('a name server that keeps silent is waited for, and no longer than it takes to say no', async () => {
  const never = () => new Promise<string[]>(() => {});
  await assert.rejects(
    validateTarget('http://silent.example.com/', { allow, resolver: never, lookUp: 'all' }),
    {
      kind: 'blocked',
      issue: 'network',
    },
  );
  const { href } = await validateTarget('https://silent.example.com/', {
    allow,
    resolver: never,
    lookUp: 'all',
  });
  assert.equal(href, 'https://silent.example.com/');
});
