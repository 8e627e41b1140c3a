import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEgress, type EgressRequest, type EgressResult } from './guarded-fetch.ts';
import { parseCidrs } from './public-address.ts';
import { dnsResolver } from './resolve-name.ts';
import { startDnsServer, type DnsAnswer } from './testing/dns-server.ts';
import { startAnswering, startLoopbackServer } from './testing/loopback-server.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
// Only 127.0.0.1 is loopback on macOS; elsewhere all of 127/8 is.
const hasManyLoopbacks = { skip: process.platform === 'darwin' };

function get(url: string): EgressRequest {
  return { method: 'GET', url, totalTimeoutMs: 10_000, maxResponseBytes: 65_536, whenLarger: 'cut' };
}

function outcome(result: EgressResult): string {
  return result.ok ? String(result.status) : result.kind;
}

test('both kinds of addresses come together, IPv4 first, through aliases too', async () => {
  const answers: Record<string, DnsAnswer> = {
    'both.example.com': { a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8:0:0:0:0:0:1'] },
    'six.example.com': { aaaa: ['2001:db8:0:0:0:0:0:2'] },
    'alias.example.com': { cname: 'real.example.net', a: ['192.0.2.3'] },
  };
  await using server = await startDnsServer((name) => answers[name] ?? {});
  const resolve = dnsResolver({ servers: [server.address] });
  const { signal } = new AbortController();
  assert.deepEqual(await resolve('both.example.com', signal), ['192.0.2.1', '192.0.2.2', '2001:db8::1']);
  assert.deepEqual(await resolve('six.example.com', signal), ['2001:db8::2']);
  assert.deepEqual(await resolve('alias.example.com', signal), ['192.0.2.3']);
  await assert.rejects(resolve('nothing.example.com', signal), { kind: 'dns', code: 'ENODATA' });
});

test('localhost is asked of nobody', async () => {
  await using server = await startDnsServer(() => ({ a: ['93.184.216.34'] }));
  const resolve = dnsResolver({ servers: [server.address] });
  for (const name of ['localhost', 'localhost.', 'app.localhost']) {
    assert.deepEqual(await resolve(name, new AbortController().signal), ['127.0.0.1']);
  }
  assert.equal(server.questions, 0);
});

test('a look-up ends with its signal', async () => {
  await using server = await startDnsServer(() => 'silence');
  const resolve = dnsResolver({ servers: [server.address] });
  const startedAt = performance.now();
  await assert.rejects(resolve('silent.example.com', AbortSignal.timeout(100)));
  assert.ok(performance.now() - startedAt < 1_000);
});

test(
  'a name server that rebinds, mixes or hides a special address never leads to it',
  hasManyLoopbacks,
  async () => {
    // 127.0.0.2 represents the public internet here: the list allows only this address.
    await using receiver = await startAnswering(OK, { host: '127.0.0.2' });
    await using canary = await startLoopbackServer({ port: receiver.port });
    let looks = 0;
    await using server = await startDnsServer((name) => {
      if (name.startsWith('mixed')) return { a: ['127.0.0.2', '127.0.0.1'] };
      if (name.startsWith('alias')) return { cname: 'localhost', a: ['127.0.0.1'] };
      if (name.startsWith('six')) return { aaaa: ['0:0:0:0:0:0:0:1'] };
      if (name.startsWith('mapped')) return { a: ['127.0.0.2'], aaaa: ['0:0:0:0:0:ffff:7f00:1'] };
      if (name.startsWith('failing')) return 'failure';
      return { a: [looks++ % 4 < 2 ? '127.0.0.2' : '127.0.0.1'] };
    });
    await using egress = createEgress({
      allow: parseCidrs('127.0.0.2/32'),
      resolver: dnsResolver({ servers: [server.address] }),
    });
    for (const name of ['mixed', 'alias', 'six', 'mapped']) {
      assert.equal(
        outcome(await egress.request(get(`http://${name}.example.com:${receiver.port}/`))),
        'blocked',
        name,
      );
    }
    assert.equal(outcome(await egress.request(get(`http://failing.example.com:${receiver.port}/`))), 'dns');
    const before = server.questions;
    const outcomes: Record<string, number> = {};
    for (let round = 0; round < 200; round += 1) {
      const result = outcome(await egress.request(get(`http://rebinding.example.com:${receiver.port}/`)));
      outcomes[result] = (outcomes[result] ?? 0) + 1;
    }
    // The server was asked once for each request: nothing is cached, and nothing is looked up twice.
    assert.equal(server.questions - before, 200);
    assert.deepEqual(outcomes, { 200: 100, blocked: 100 });
    assert.deepEqual([canary.connections, canary.bytes], [0, 0]);
  },
);
