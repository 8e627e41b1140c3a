import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './throttle.ts';

test('an IPv6 address counts by its /64, an IPv4 address by itself', () => {
  for (const [address, network] of [
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2'],
    ['2001:DB8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['2001:db8:1:2:3::', '2001:db8:1:2'],
  ])
    assert.equal(networkOf(address ?? ''), network, address);
});
