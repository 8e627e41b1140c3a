import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isAllowed, isPublicAddress, parseCidrs } from './public-address.ts';
import {
  formatV4,
  formatV6,
  publicAddresses,
  rangeOf,
  specialBlocksV4,
  specialBlocksV6,
} from './testing/ssrf-corpus.ts';

function addressIn(blocks: readonly string[], format: (value: bigint) => string): fc.Arbitrary<string> {
  return fc.constantFrom(...blocks).chain((block) => {
    const { first, size } = rangeOf(block);
    return fc.bigInt({ min: first, max: first + size - 1n }).map(format);
  });
}

test('no address of a special IPv4 block is ever public', () => {
  fc.assert(
    fc.property(addressIn(specialBlocksV4, formatV4), (address) => !isPublicAddress(address)),
    { numRuns: 5_000 },
  );
});

test('no address of a special IPv6 block is ever public', () => {
  fc.assert(
    fc.property(addressIn(specialBlocksV6, formatV6), (address) => !isPublicAddress(address)),
    { numRuns: 5_000 },
  );
});

test('an IPv4 address embedded in IPv6 is not public even if it is public by itself', () => {
  for (const address of [
    '::ffff:8.8.8.8',
    '::8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
    '::ffff:0:808:808',
  ]) {
    assert.equal(isPublicAddress(address), false, address);
  }
});

test('public addresses are not refused', () => {
  const addresses = publicAddresses(1);
  assert.ok(addresses.length >= 500, `${addresses.length} addresses`);
  for (const address of addresses) assert.equal(isPublicAddress(address), true, address);
});

test('what is not the plain notation of an address is not public', () => {
  for (const text of [
    '',
    'localhost',
    '8.8.8',
    '134744072',
    '0x08080808',
    '010.8.8.8',
    '[2606:4700::1]',
    ' 8.8.8.8',
    'fe80::1%eth0',
    '2606:4700::1%1',
  ]) {
    assert.equal(isPublicAddress(text), false, text);
  }
});

test('a list of blocks allows just its own addresses', () => {
  const allow = parseCidrs('10.0.0.0/8, 192.168.1.5\nfd00::/8');
  for (const address of ['10.0.0.0', '10.255.255.255', '192.168.1.5', 'fd12::1']) {
    assert.equal(isAllowed(address, allow), true, address);
  }
  for (const address of ['11.0.0.0', '192.168.1.6', 'fe00::1', '::ffff:10.0.0.1', 'localhost', '']) {
    assert.equal(isAllowed(address, allow), false, address);
  }
  assert.deepEqual(parseCidrs(' '), []);
});

test('a wrong block is refused with a sentence that says how it should be', () => {
  for (const text of [
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fd00::/129',
    'example.com',
    '0x7f.1/8',
    '10.0.0.0/-1',
  ]) {
    assert.throws(
      () => parseCidrs(text),
      { name: 'RangeError', message: /is not a block of addresses such as/ },
      text,
    );
  }
  assert.throws(() => parseCidrs('10.1.2.3/8'), /write 10\.0\.0\.0\/8/);
  assert.throws(() => parseCidrs('fd00::1/8'), /write fd00::\/8/);
});
