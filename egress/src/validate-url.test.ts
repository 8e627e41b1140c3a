import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressRefusal } from './egress-refusal.ts';
import { parseCidrs } from './public-address.ts';
import { publicAddresses, ssrfCorpus } from './testing/ssrf-corpus.ts';
import { validateAddresses, validateUrl } from './validate-url.ts';

const nobody = { allow: parseCidrs('') };
const loopback = { allow: parseCidrs('127.0.0.0/8') };

function assertBlocked(raw: string, options = nobody): void {
  assert.throws(
    () => validateUrl(raw, options),
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
    assert.ok(validateUrl(`https://${address.includes(':') ? `[${address}]` : address}/`, nobody));
  }
  for (const host of [
    'example.com',
    'example.com.',
    'xn--bcher-kva.example',
    'bücher.example',
    '1e100.example',
    'files_of.example.com',
    'r3---sn-4g5e.example.com',
    'a.b.c.d.e.example.com',
    `${'a'.repeat(63)}.example`,
    `${'a.'.repeat(123)}example`,
    'xn--e1afmkfd.xn--p1ai',
  ]) {
    assert.ok(validateUrl(`https://${host}/path?query=1`, nobody));
  }
});

test('the validated URL is the canonical one, without its fragment', () => {
  assert.equal(
    validateUrl('HTTPS://Files.Example.com:443/a b#c', nobody).href,
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
  assert.ok(validateUrl('http://127.0.0.1:3000/', loopback));
  assert.ok(validateUrl('http://127.0.0.1/', loopback));
  assert.ok(validateUrl('http://receiver.internal/', loopback));
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
    assert.ok(validateUrl(`https://example.com:${port}/`, nobody));
});

/** Impossible hosts, and the words that explain why. */
const impossibleHosts: readonly [authority: string, words: RegExp][] = [
  ['..', /empty part/],
  ['.', /empty part/],
  ['..:18443', /empty part/],
  ['a..example.com', /empty part/],
  ['.example.com', /empty part/],
  ['example.com..:8443', /empty part/],
  [`${'a'.repeat(64)}.example`, /more than 63 characters/],
  [`${'a.'.repeat(124)}example`, /more than 253 characters/],
  ['-a.example', /hyphen/],
  ['a-.example', /hyphen/],
  ['*.example.com', /letters, digits and hyphens/],
  ['a!b.example', /letters, digits and hyphens/],
  ['a{b.example', /letters, digits and hyphens/],
  ['xn--a.example', /Punycode/],
  ['xn--zzzzzzzzzzzzzzz.example', /Punycode/],
  ['134744072', /here as 8\.8\.8\.8/],
  ['0x08080808', /here as 8\.8\.8\.8/],
  ['8.8', /here as 8\.0\.0\.8/],
  ['010.8.8.8', /here as 8\.8\.8\.8/],
  ['8.8.8.8.', /here as 8\.8\.8\.8/],
  ['８.8.8.8', /here as 8\.8\.8\.8/],
  ['1.2.3.4.5', /no IPv4 address/],
  ['example.123', /no IPv4 address/],
  ['[fe80::1%25eth0]', /zone/],
  ['[2606:4700::1111%eth0]', /zone/],
  ['[2606:4700:::1]', /IPv6/],
  ['a b', /cannot be read/],
  ['', /has no host/],
  [':443', /has no host/],
  ['example.com:0', /port/],
  ['example.com:65536', /port/],
  ['@example.com', /user name/],
  ['user@example.com', /user name/],
  ['hooks.invalid', /\.invalid is reserved/],
  ['facebookwkhpilnemxj7.onion', /\.onion is reserved/],
  ['wallet.alt', /\.alt is reserved/],
];

test('a host that nobody can have is refused, with the reason', () => {
  for (const [authority, words] of impossibleHosts)
    for (const options of [nobody, loopback])
      assert.throws(
        () => validateUrl(`https://${authority}`, options),
        (error) =>
          error instanceof EgressRefusal &&
          error.kind === 'blocked' &&
          error.issue === 'form' &&
          words.test(error.message),
        authority,
      );
});

test('a name without a meaning on the public internet needs a listed network', () => {
  for (const host of [
    'intranet',
    'localhost',
    'app.localhost',
    'hooks.test',
    'receiver.internal',
    'nas.local',
    'printer.home.arpa',
  ]) {
    assert.throws(() => validateUrl(`https://${host}/`, nobody), { kind: 'blocked', issue: 'network' }, host);
    assert.ok(validateUrl(`https://${host}/`, loopback));
    assert.ok(validateUrl(`http://${host}/`, loopback));
  }
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
    'https:example.com',
    ' https://example.com/',
    'https://example.com/ ',
  ];
  for (const raw of raws) assertBlocked(raw);
});

test('a URL may have 2,048 characters and no more', () => {
  const start = 'https://example.com/';
  assert.ok(validateUrl(start.padEnd(2_048, 'a'), nobody));
  assertBlocked(start.padEnd(2_049, 'a'));
});

test('one address among several that is not public refuses the name', () => {
  assert.throws(() => validateAddresses(['93.184.216.34', '127.0.0.1'], 'https:', []), EgressRefusal);
  assert.throws(() => validateAddresses(['::1', '93.184.216.34'], 'https:', []), EgressRefusal);
  validateAddresses(['93.184.216.34', '2606:4700::1111'], 'https:', []);
});

test('clear text goes to listed networks alone', () => {
  assert.throws(() => validateAddresses(['93.184.216.34'], 'http:', loopback.allow), EgressRefusal);
  assert.throws(
    () => validateAddresses(['127.0.0.1', '93.184.216.34'], 'http:', loopback.allow),
    EgressRefusal,
  );
  validateAddresses(['127.0.0.1'], 'http:', loopback.allow);
  validateAddresses(['127.0.0.1', '93.184.216.34'], 'https:', loopback.allow);
});
