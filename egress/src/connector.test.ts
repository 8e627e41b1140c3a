import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { createEgress, type EgressRequest, type EgressResult } from './guarded-fetch.ts';
import { parseCidrs } from './public-address.ts';
import { portOf, startAnswering, startLoopbackServer } from './testing/loopback-server.ts';
import { selfSignedCertificate } from './testing/self-signed-certificate.ts';
import { ssrfCorpus } from './testing/ssrf-corpus.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
// Only 127.0.0.1 is loopback on macOS; elsewhere all of 127/8 is.
const hasManyLoopbacks = { skip: process.platform === 'darwin' };
const hasUnspecifiedAddress = { skip: process.platform === 'win32' };

function get(url: string): EgressRequest {
  return { method: 'GET', url, totalTimeoutMs: 5_000, maxResponseBytes: 65_536, whenLarger: 'cut' };
}

function outcome(result: EgressResult): string {
  return result.ok ? String(result.status) : result.kind;
}

test('no notation of a special address reaches a canary', async () => {
  await using canary = await startLoopbackServer();
  await using canary6 = await startLoopbackServer({ host: '::1', port: canary.port }).catch(() => null);
  await using egress = createEgress({ allow: [] });
  for (const { authority, address, notation } of ssrfCorpus(4)) {
    const result = await egress.request(get(`https://${authority}:${canary.port}/`));
    assert.equal(outcome(result), 'blocked', `${notation} of ${address}`);
  }
  assert.deepEqual([canary.connections, canary.bytes, canary6?.connections ?? 0], [0, 0, 0]);
});

test('no name that resolves to a special address reaches a canary', async () => {
  await using canary = await startLoopbackServer();
  const addresses = [...new Set(ssrfCorpus(5).map(({ address }) => address))];
  let address = '';
  await using egress = createEgress({ allow: [], resolver: async () => [address] });
  for (address of addresses) {
    assert.equal(
      outcome(await egress.request(get(`https://files.example.com:${canary.port}/`))),
      'blocked',
      address,
    );
  }
  for (const name of ['localhost', 'LOCALHOST.', 'a.localhost', 'printer.local', 'kubernetes.default.svc']) {
    address = '127.0.0.1';
    assert.equal(outcome(await egress.request(get(`https://${name}:${canary.port}/`))), 'blocked', name);
  }
  assert.deepEqual([canary.connections, canary.bytes], [0, 0]);
});

test(
  'a name that is rebound between two looks never reaches the second address',
  hasManyLoopbacks,
  async () => {
    // 127.0.0.2 represents the public internet here: the list allows only this address.
    await using receiver = await startAnswering(OK, { host: '127.0.0.2' });
    await using canary = await startLoopbackServer({ host: '127.0.0.1', port: receiver.port });
    let looks = 0;
    await using egress = createEgress({
      allow: parseCidrs('127.0.0.2/32'),
      resolver: async () => [looks++ % 2 === 0 ? '127.0.0.2' : '127.0.0.1'],
    });
    const url = `http://rebinding.example.com:${receiver.port}/`;
    for (let round = 0; round < 1_000; round += 1) {
      assert.equal(outcome(await egress.request(get(url))), round % 2 === 0 ? '200' : 'blocked');
    }
    // One look-up for each request: there is no second answer that could differ, and none is cached for the next
    // request.
    assert.equal(looks, 1_000);
    assert.equal(receiver.connections, 500);
    assert.deepEqual([canary.connections, canary.bytes], [0, 0]);
  },
);

test(
  'a name with one forbidden address among good ones is refused before any connection',
  hasManyLoopbacks,
  async () => {
    await using receiver = await startAnswering(OK, { host: '127.0.0.2' });
    await using canary = await startLoopbackServer({ host: '127.0.0.1', port: receiver.port });
    let answer: string[] = [];
    await using egress = createEgress({ allow: parseCidrs('127.0.0.2/32'), resolver: async () => answer });
    for (answer of [
      ['127.0.0.2', '127.0.0.1'],
      ['127.0.0.1', '127.0.0.2'],
      ['127.0.0.2', '::1'],
      ['127.0.0.2', '::ffff:127.0.0.2'],
      ['127.0.0.2', 'not an address'],
    ]) {
      assert.equal(
        outcome(await egress.request(get(`http://mixed.example.com:${receiver.port}/`))),
        'blocked',
      );
    }
    assert.deepEqual([receiver.connections, canary.connections], [0, 0]);
  },
);

test('an address that does not take the connection gives way to the next', hasManyLoopbacks, async () => {
  await using receiver = await startAnswering(OK, { host: '127.0.0.1' });
  await using egress = createEgress({
    allow: parseCidrs('127.0.0.0/8'),
    resolver: async () => ['127.0.0.3', '127.0.0.1'],
  });
  assert.equal(outcome(await egress.request(get(`http://two.example.com:${receiver.port}/`))), '200');
});

test('a socket that went elsewhere than it was sent gets no byte', hasUnspecifiedAddress, async () => {
  // The system treats 0.0.0.0 as the machine itself: the validated address is allowed, but the connection ends at
  // 127.0.0.1, which is not.
  await using server = await startAnswering(OK);
  await using egress = createEgress({ allow: parseCidrs('0.0.0.0/32') });
  for (const scheme of ['http', 'https']) {
    assert.equal(outcome(await egress.request(get(`${scheme}://0.0.0.0:${server.port}/`))), 'blocked');
  }
  assert.equal(server.bytes, 0);
});

test('clear text is refused to a public address, by literal and by name', async () => {
  await using egress = createEgress({
    allow: parseCidrs('127.0.0.0/8'),
    resolver: async () => ['93.184.216.34'],
  });
  assert.equal(outcome(await egress.request(get('http://93.184.216.34/'))), 'blocked');
  assert.equal(outcome(await egress.request(get('http://www.example.com/'))), 'blocked');
});

test('a name without address, a failing and a silent resolver are one kind', async () => {
  const never = new Promise<string[]>(() => {});
  const resolvers = [async () => [], () => Promise.reject(new Error('SERVFAIL')), () => never];
  for (const resolver of resolvers) {
    await using egress = createEgress({ allow: [], resolver, dnsTimeoutMs: 100 });
    assert.equal(outcome(await egress.request(get('https://files.example.com/'))), 'dns');
  }
});

test('a closed port is refused, with the code for the log', async () => {
  const server = await startLoopbackServer();
  await server[Symbol.asyncDispose]();
  await using egress = createEgress({ allow: parseCidrs('127.0.0.0/8') });
  const result = await egress.request(get(`${server.url}/`));
  assert.ok(!result.ok);
  assert.deepEqual([result.kind, result.code], ['refused', 'ECONNREFUSED']);
});

test('TLS goes to the validated address under the name of the URL', async () => {
  const { key, cert } = selfSignedCertificate('files.example.com');
  let sni: unknown;
  await using receiver = await startTls({ key, cert }, (name) => (sni = name));
  await using egress = createEgress({
    allow: parseCidrs('127.0.0.0/8'),
    resolver: async () => ['127.0.0.1'],
    ca: cert,
  });
  const result = await egress.request(get(`https://files.example.com.:${receiver.port}/`));
  assert.equal(outcome(result), '200');
  assert.equal(sni, 'files.example.com');
  // Requests the same server under another name.
  assert.equal(outcome(await egress.request(get(`https://other.example.com:${receiver.port}/`))), 'tls');
  assert.equal(outcome(await egress.request(get(`https://127.0.0.1:${receiver.port}/`))), 'tls');
});

test('a literal is checked against the address in the certificate', async () => {
  const { key, cert } = selfSignedCertificate('127.0.0.1');
  let sni: unknown;
  await using receiver = await startTls({ key, cert }, (name) => (sni = name));
  await using egress = createEgress({ allow: parseCidrs('127.0.0.0/8'), ca: cert });
  assert.equal(outcome(await egress.request(get(`https://127.0.0.1:${receiver.port}/`))), '200');
  assert.equal(sni, false);
});

test('a certificate that nobody vouches for fails as tls', async () => {
  const pair = selfSignedCertificate('127.0.0.1');
  await using receiver = await startTls(pair);
  await using egress = createEgress({ allow: parseCidrs('127.0.0.0/8') });
  const result = await egress.request(get(`https://127.0.0.1:${receiver.port}/`));
  assert.ok(!result.ok);
  assert.deepEqual([result.kind, result.code], ['tls', 'DEPTH_ZERO_SELF_SIGNED_CERT']);
});

test('a server that answers no TLS, or hangs up in the handshake, fails as tls', async () => {
  await using egress = createEgress({ allow: parseCidrs('127.0.0.0/8') });
  for (const onRequest of [undefined, hangUp]) {
    await using server = onRequest ? await startLoopbackServer({ onRequest }) : await startAnswering(OK);
    assert.equal(outcome(await egress.request(get(`https://127.0.0.1:${server.port}/`))), 'tls');
  }
});

function hangUp(_head: string, socket: { destroy(): unknown }): void {
  socket.destroy();
}

async function startTls(pair: { key: string; cert: string }, onName?: (name: unknown) => void) {
  const server = createTlsServer(pair, (socket) => {
    onName?.(socket.servername);
    socket.on('error', () => {});
    socket.once('data', () => socket.end(OK));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
