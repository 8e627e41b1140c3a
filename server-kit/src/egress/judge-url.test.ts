import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressRefusal } from './egress-refusal.ts';
import { judgeAddresses, judgeUrl } from './judge-url.ts';
import { parseCidrs } from './public-address.ts';
import { publicAddresses, ssrfCorpus } from './testing/ssrf-corpus.ts';

const nobody = { allow: parseCidrs('') };
const loopback = { allow: parseCidrs('127.0.0.0/8') };

function assertBlocked(raw: string, options = nobody): void {
  assert.throws(
    () => judgeUrl(raw, options),
    (error) => error instanceof EgressRefusal && error.kind === 'blocked',
    raw,
  );
}

test('every notation of every special address is refused', () => {
  const corpus = ssrfCorpus(2);
  assert.ok(corpus.length >= 2_500, `${corpus.length} cases`);
  for (const { authority } of corpus) {
    assertBlocked(`https://${authority}/`);
    assertBlocked(`https://${authority}:8443/hook`);
  }
});

test('public literals and names are not refused', () => {
  for (const address of publicAddresses(3)) {
    assert.ok(judgeUrl(`https://${address.includes(':') ? `[${address}]` : address}/`, nobody));
  }
  for (const host of [
    'example.com',
    'example.com.',
    'xn--bcher-kva.example',
    'bücher.example',
    '1e100.example',
  ]) {
    assert.ok(judgeUrl(`https://${host}/path?query=1`, nobody));
  }
});

test('the judged URL is the canonical one, without its fragment', () => {
  assert.equal(
    judgeUrl('HTTPS://Files.Example.com:443/a b#c', nobody).href,
    'https://files.example.com/a%20b',
  );
});

test('only https is taken, and http where the operator lists networks', () => {
  for (const raw of [
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:,x',
    'javascript:1',
    'wss://example.com/',
    'gopher://example.com/',
  ]) {
    assertBlocked(raw);
  }
  for (const raw of ['ftp://127.0.0.1/', 'ws://127.0.0.1/', 'http://8.8.8.8/', 'http://10.0.0.1/']) {
    assertBlocked(raw, loopback);
  }
  assert.ok(judgeUrl('http://127.0.0.1:3000/', loopback));
  assert.ok(judgeUrl('http://127.0.0.1/', loopback));
  assert.ok(judgeUrl('http://receiver.internal/', loopback));
});

test('a user name or password is refused', () => {
  for (const userinfo of ['user@', 'user:password@', ':password@', 'example.com@', '%00@']) {
    assertBlocked(`https://${userinfo}example.com/`);
  }
});

test('ports below 1024 and those of other protocols are refused', () => {
  for (const port of [0, 1, 22, 25, 80, 442, 444, 993, 1023, 2049, 3659, 5060, 6000, 6667, 10080]) {
    assertBlocked(`https://example.com:${port}/`);
  }
  for (const port of [443, 1024, 8080, 8443, 65_535])
    assert.ok(judgeUrl(`https://example.com:${port}/`, nobody));
});

test('text that is no URL is refused', () => {
  const raws = [
    '',
    ' ',
    'example.com',
    '//example.com/',
    'https://',
    'https://[::1',
    'https://256.256.256.256/',
    'https://exa mple.com/',
    'https://[fe80::1%25eth0]/',
    'https://example.com:99999/',
    'https://example.com/\r\nHost: x',
    'https://exa\tmple.com/',
    'https://example.com/\u0000',
    'https://example.com\u0085/',
  ];
  for (const raw of raws) assertBlocked(raw);
});

test('a URL may have 2,048 characters and no more', () => {
  const start = 'https://example.com/';
  assert.ok(judgeUrl(start.padEnd(2_048, 'a'), nobody));
  assertBlocked(start.padEnd(2_049, 'a'));
});

test('one address among several that is not public refuses the name', () => {
  assert.throws(() => judgeAddresses(['93.184.216.34', '127.0.0.1'], 'https:', []), EgressRefusal);
  assert.throws(() => judgeAddresses(['::1', '93.184.216.34'], 'https:', []), EgressRefusal);
  judgeAddresses(['93.184.216.34', '2606:4700::1111'], 'https:', []);
});

test('clear text goes to listed networks alone', () => {
  assert.throws(() => judgeAddresses(['93.184.216.34'], 'http:', loopback.allow), EgressRefusal);
  assert.throws(() => judgeAddresses(['127.0.0.1', '93.184.216.34'], 'http:', loopback.allow), EgressRefusal);
  judgeAddresses(['127.0.0.1'], 'http:', loopback.allow);
  judgeAddresses(['127.0.0.1', '93.184.216.34'], 'https:', loopback.allow);
});
