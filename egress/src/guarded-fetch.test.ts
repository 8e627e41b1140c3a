import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createEgress, type EgressRequest, type EgressResult } from './guarded-fetch.ts';
import { parseCidrs } from './public-address.ts';
import { startAnswering, startLoopbackServer } from './testing/loopback-server.ts';
import { ssrfCorpus } from './testing/ssrf-corpus.ts';

const allow = parseCidrs('127.0.0.1/32');
// Only 127.0.0.1 is loopback on macOS; elsewhere all of 127/8 is.
const hasManyLoopbacks = { skip: process.platform === 'darwin' };
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** Builds a request like those for webhooks. */
function webhook(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  const body = Buffer.from('{"hello":"world"}');
  return {
    method: 'POST',
    url,
    body,
    totalTimeoutMs: 5_000,
    maxResponseBytes: 65_536,
    whenLarger: 'cut',
    ...more,
  };
}

/** Builds a request like those for imports. */
function download(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  return {
    method: 'GET',
    url,
    totalTimeoutMs: 5_000,
    maxResponseBytes: 1_000_000,
    whenLarger: 'refuse',
    maxRedirects: 3,
    ...more,
  };
}

function outcome(result: EgressResult): string {
  return result.ok ? `${result.status}${result.isCut ? ' cut' : ''}` : result.kind;
}

/** Writes repeatedly until the connection is closed. */
function flood(socket: Socket, head: string, piece: string | Buffer): void {
  const write = () => {
    while (piece.length > 0 && !socket.destroyed && socket.write(piece));
  };
  socket.on('drain', write);
  socket.write(head);
  write();
}

/** Writes one byte at a time. */
function drip(socket: Socket, head: string, everyMs: number): void {
  socket.write(head);
  const timer = setInterval(() => socket.write('x'), everyMs);
  socket.on('close', () => clearInterval(timer));
}

test('a request arrives as it was given, and its answer comes back as data', async () => {
  let seen = '';
  await using server = await startLoopbackServer({
    onRequest(head, socket) {
      seen = head;
      socket.end(
        'HTTP/1.1 201 Created\r\nX-One: 1\r\nX-Two: a\r\nX-Two: b\r\n__proto__: c\r\ncontent-length: 2\r\n\r\nok',
      );
    },
  });
  await using egress = createEgress({ allow });
  const result = await egress.request(
    webhook(`${server.url}/hook?a=b#c`, { headers: { 'content-type': 'application/json' } }),
  );
  assert.ok(result.ok);
  assert.equal(outcome(result), '201');
  assert.equal(result.body.toString(), 'ok');
  assert.deepEqual([result.headers['x-one'], result.headers['x-two']], ['1', ['a', 'b']]);
  assert.equal(Object.getPrototypeOf(result.headers), null);
  assert.equal(result.finalUrl, `${server.url}/hook?a=b`);
  assert.match(seen, /^POST \/hook\?a=b HTTP\/1\.1\r\n/);
  assert.match(seen, /\r\naccept-encoding: identity\r\n/);
  assert.match(seen, /\r\nconnection: close\r\n/);
  assert.match(seen, /\r\ncontent-length: 17\r\n/);
  assert.match(seen, /\r\n\r\n\{"hello":"world"\}$/);
});

test('no connection is used twice, though the server would keep it', async () => {
  await using server = await startLoopbackServer({
    onConnection: (socket) =>
      socket.on('data', () => socket.write(OK.replace('\r\n', '\r\nconnection: keep-alive\r\n'))),
  });
  await using egress = createEgress({ allow });
  for (let round = 1; round <= 20; round += 1) {
    assert.equal(outcome(await egress.request(webhook(`${server.url}/`))), '200');
    assert.equal(server.connections, round);
  }
});

test('a body in chunks of one byte comes to its taker in few pieces', async () => {
  const chunks = 60_000;
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  await using server = await startAnswering(`${head}${'1\r\nx\r\n'.repeat(chunks)}0\r\n\r\n`);
  await using egress = createEgress({ allow });
  let [pieces, bytes, turns] = [0, 0, 0];
  const onBody = async (chunk: Buffer) => {
    pieces += 1;
    bytes += chunk.length;
    // Bytes that arrive meanwhile wait, and other work runs between two pieces.
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  };
  const answer = await egress.request(download(`${server.url}/`, { onBody, totalTimeoutMs: 30_000 }));
  assert.equal(outcome(answer), '200');
  assert.deepEqual([bytes, turns], [chunks, pieces]);
  assert.ok(pieces < chunks / 50, `${pieces} pieces`);
});

test('a webhook answer is cut at its size and stays an answer', async () => {
  await using server = await startLoopbackServer({
    onRequest: (_head, socket) => flood(socket, 'HTTP/1.1 200 OK\r\n\r\n', Buffer.alloc(16_384, 'x')),
  });
  await using egress = createEgress({ allow });
  const result = await egress.request(webhook(`${server.url}/`));
  assert.equal(outcome(result), '200 cut');
  assert.equal(result.ok && result.body.length, 65_536);
});

test('once the status line is there, a webhook has its answer whatever becomes of the body', async () => {
  const heads: Record<string, (socket: Socket) => void> = {
    'drips on': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', 20),
    'breaks off': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'),
    'is reset': (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', () => socket.resetAndDestroy()),
    'is no chunk': (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnonsense'),
  };
  for (const [name, answer] of Object.entries(heads)) {
    await using server = await startLoopbackServer({ onRequest: (_head, socket) => answer(socket) });
    await using egress = createEgress({ allow });
    const result = await egress.request(webhook(`${server.url}/`, { totalTimeoutMs: 300 }));
    assert.equal(outcome(result), '200 cut', name);
  }
});

test('a download that is larger than allowed fails, said beforehand or not', async () => {
  const hugeLength = 'HTTP/1.1 200 OK\r\ncontent-length: 107374182400\r\n\r\n';
  const endlessChunks = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const servers: [string, string][] = [
    [hugeLength, ''],
    [hugeLength, 'x'.repeat(1000)],
    [endlessChunks, `3e8\r\n${'x'.repeat(1000)}\r\n`],
    ['HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(1000)],
  ];
  for (const [head, piece] of servers) {
    await using server = await startLoopbackServer({
      onRequest: (_head, socket) => flood(socket, head, piece),
    });
    await using egress = createEgress({ allow });
    assert.equal(outcome(await egress.request(download(`${server.url}/`))), 'too_large', head);
  }
});

test('a body of just the allowed size is whole', async () => {
  await using server = await startAnswering(
    `HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n${'x'.repeat(1000)}`,
  );
  await using egress = createEgress({ allow });
  assert.equal(outcome(await egress.request(download(`${server.url}/`, { maxResponseBytes: 1000 }))), '200');
  assert.equal(outcome(await egress.request(webhook(`${server.url}/`, { maxResponseBytes: 1000 }))), '200');
  assert.equal(
    outcome(await egress.request(download(`${server.url}/`, { maxResponseBytes: 999 }))),
    'too_large',
  );
});

test('a compressed body is never opened', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`;
  await using server = await startAnswering(Buffer.concat([Buffer.from(head), bomb]));
  await using egress = createEgress({ allow });
  const result = await egress.request(download(`${server.url}/`));
  assert.ok(result.ok);
  assert.deepEqual(result.body, bomb);
});

test('a body goes to its taker piece by piece, at the pace of the taker', async () => {
  const total = 8_000_000;
  const body = Buffer.alloc(total, 'x');
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`;
  await using server = await startAnswering(Buffer.concat([Buffer.from(head), body]));
  await using egress = createEgress({ allow });
  let taken = 0;
  let inHand = 0;
  const result = await egress.request(
    download(`${server.url}/`, {
      maxResponseBytes: total,
      async onBody(chunk, { status }) {
        assert.equal(status, 200);
        inHand += 1;
        assert.equal(inHand, 1);
        await new Promise((resolve) => setImmediate(resolve));
        inHand -= 1;
        taken += chunk.length;
      },
    }),
  );
  assert.ok(result.ok);
  assert.deepEqual([taken, result.body.length], [total, 0]);
});

test('what the taker of a body throws is the caller’s own affair', async () => {
  await using server = await startAnswering(OK);
  await using egress = createEgress({ allow });
  const onBody = () => Promise.reject(new Error('disk full'));
  await assert.rejects(egress.request(download(`${server.url}/`, { onBody })), /disk full/);
});

test('an answer that is not HTTP or breaks off is a failure of the protocol', async () => {
  const answers = [
    '',
    'SSH-2.0-OpenSSH_9.9\r\n',
    '220 mail.example.com ESMTP\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok!',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\nok',
    'HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nok',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnonsense',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
  ];
  await using egress = createEgress({ allow });
  for (const answer of answers) {
    await using server = await startAnswering(answer);
    assert.equal(outcome(await egress.request(download(`${server.url}/`))), 'protocol', answer);
  }
});

test('a server that hangs up at once is asked once', async () => {
  await using egress = createEgress({ allow });
  for (const hangUp of [(socket: Socket) => socket.resetAndDestroy(), (socket: Socket) => socket.end()]) {
    await using server = await startLoopbackServer({ onConnection: hangUp });
    for (let round = 1; round <= 50; round += 1) {
      const result = await egress.request(download(`${server.url}/`));
      assert.ok(['protocol', 'refused'].includes(outcome(result)), outcome(result));
      assert.equal(server.connections, round);
    }
  }
});

test('the head of an answer has its own limit', async () => {
  await using server = await startAnswering(OK.replace('\r\n', `\r\nx-long: ${'x'.repeat(2_000)}\r\n`));
  await using egress = createEgress({ allow });
  assert.equal(outcome(await egress.request(webhook(`${server.url}/`, { maxHeaderBytes: 2_100 }))), '200');
  assert.equal(
    outcome(await egress.request(webhook(`${server.url}/`, { maxHeaderBytes: 1_900 }))),
    'too_large',
  );
});

test('a flood that never becomes a body ends early', async () => {
  const floods: [string, string, string][] = [
    ['HTTP/1.1 200 OK\r\n', 'x-flood: y\r\n', 'too_large'],
    ['HTTP/1.1 200 OK\r\nx-flood: ', 'y'.repeat(1000), 'too_large'],
    ['HTTP/1.1 200 ', 'OK '.repeat(1000), 'too_large'],
    ['', '\r\n'.repeat(1000), 'too_large'],
    ['', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', 'protocol'],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x'.repeat(1000), 'too_large'],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', 'x-trailer: y\r\n', 'too_large'],
  ];
  await using egress = createEgress({ allow });
  for (const [head, piece, kind] of floods) {
    await using server = await startLoopbackServer({
      onRequest: (_head, socket) => flood(socket, head, piece),
    });
    // The time-out is long, so that on a busy machine it does not come before the expected failure.
    const limits = { maxResponseBytes: 65_536, totalTimeoutMs: 60_000 };
    const result = await egress.request(download(`${server.url}/`, limits));
    assert.equal(outcome(result), kind, head + piece.slice(0, 20));
  }
});

test('the whole request has one time, however busy the other side keeps', async () => {
  const slow: Record<string, (socket: Socket) => void> = {
    'says nothing': () => {},
    'drips its head': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-slow: ', 20),
    'drips its body': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', 20),
  };
  await using egress = createEgress({ allow });
  for (const [name, answer] of Object.entries(slow)) {
    await using server = await startLoopbackServer({ onRequest: (_head, socket) => answer(socket) });
    const result = await egress.request(download(`${server.url}/`, { totalTimeoutMs: 300 }));
    assert.equal(outcome(result), 'timeout', name);
    assert.ok(result.durationMs >= 295 && result.durationMs < 2_000, `${name}: ${result.durationMs} ms`);
  }
  await using silent = await startLoopbackServer();
  const handshake = await egress.request(
    download(`https://127.0.0.1:${silent.port}/`, { totalTimeoutMs: 300 }),
  );
  assert.equal(outcome(handshake), 'timeout');
});

test('a body below the floor is given up after a window, one above it is not', async () => {
  await using egress = createEgress({ allow });
  const floor = { minBytesPerSecond: 10_000, rateWindowMs: 200 };
  const senders: Record<string, (socket: Socket) => void> = {
    dripping: (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', 20),
    'stalling after a burst': (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(50_000)}`),
  };
  for (const [name, answer] of Object.entries(senders)) {
    await using slow = await startLoopbackServer({ onRequest: (_head, socket) => answer(socket) });
    const result = await egress.request(download(`${slow.url}/`, floor));
    assert.equal(outcome(result), 'too_slow', name);
    assert.ok(result.durationMs < 2_000);
  }
  await using steady = await startLoopbackServer({
    onRequest(_head, socket) {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 30000\r\n\r\n');
      let left = 30;
      const timer = setInterval(() => {
        socket.write('x'.repeat(1000));
        left -= 1;
        if (left === 0) clearInterval(timer);
      }, 20);
    },
  });
  assert.equal(outcome(await egress.request(download(`${steady.url}/`, floor))), '200');
});

test('our own slowness is not held against the sender', async () => {
  await using server = await startAnswering(
    `HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n\r\n${'x'.repeat(200_000)}`,
  );
  await using egress = createEgress({ allow });
  const onBody = () => new Promise<void>((resolve) => setTimeout(resolve, 150));
  const floor = { minBytesPerSecond: 1_000_000, rateWindowMs: 100, onBody };
  assert.equal(outcome(await egress.request(download(`${server.url}/`, floor))), '200');
});

test('the caller’s signal stops a request at any point', async () => {
  await using server = await startLoopbackServer({
    onRequest: (_head, socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', 20),
  });
  await using egress = createEgress({ allow });
  assert.equal(
    outcome(await egress.request(download(`${server.url}/`, { signal: AbortSignal.abort() }))),
    'aborted',
  );
  assert.equal(server.connections, 0);
  const early = await egress.request(download(`${server.url}/`, { signal: AbortSignal.timeout(150) }));
  assert.equal(outcome(early), 'aborted');
  await using resolving = createEgress({ allow, resolver: () => new Promise(() => {}) });
  const name = await resolving.request(
    download('https://files.example.com/', { signal: AbortSignal.timeout(50) }),
  );
  assert.equal(outcome(name), 'aborted');
});

test('the end of the egress stops what is in flight and takes nothing new', async () => {
  await using server = await startLoopbackServer();
  const egress = createEgress({ allow });
  const pending = egress.request(download(`${server.url}/`));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await egress[Symbol.asyncDispose]();
  assert.equal(outcome(await pending), 'aborted');
  assert.equal(outcome(await egress.request(download(`${server.url}/`))), 'aborted');
});

test('a header that only the egress may write is an error of the caller', async () => {
  await using egress = createEgress({ allow });
  for (const name of ['Host', 'Accept-Encoding', 'connection', 'Content-Length']) {
    await assert.rejects(
      egress.request(webhook('http://127.0.0.1:9999/', { headers: { [name]: 'x' } })),
      /itself/,
    );
  }
  await using server = await startAnswering(OK);
  const split = { 'x-split': 'a\r\nb: c' };
  await assert.rejects(egress.request(webhook(`${server.url}/`, { headers: split })), {
    code: 'UND_ERR_INVALID_ARG',
  });
  assert.equal(server.bytes, 0);
});

function redirect(status: number, location: string): string {
  return `HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;
}

test('a webhook follows no redirect', async () => {
  await using target = await startAnswering(OK);
  await using egress = createEgress({ allow });
  for (const status of [300, 301, 302, 303, 304, 307, 308]) {
    await using server = await startAnswering(redirect(status, `${target.url}/`));
    const result = await egress.request(webhook(`${server.url}/`));
    assert.ok(!result.ok);
    assert.deepEqual([result.kind, result.status], ['redirect', status]);
  }
  assert.equal(target.connections, 0);
});

test('a download follows three hops and no fourth', async () => {
  await using server = await startLoopbackServer({
    onRequest(head, socket) {
      const left = Number(/^GET \/(\d)/.exec(head)?.[1]);
      socket.end(left === 0 ? OK : redirect([301, 302, 303, 307, 308][left] ?? 302, `${left - 1}?next`));
    },
  });
  await using egress = createEgress({ allow });
  const third = await egress.request(download(`${server.url}/3`));
  assert.equal(outcome(third), '200');
  assert.equal(third.ok && third.finalUrl, `${server.url}/0?next`);
  assert.equal(outcome(await egress.request(download(`${server.url}/4`))), 'redirect');
});

test('a redirect to any special address, by any status, reaches no canary', hasManyLoopbacks, async () => {
  let location = '';
  let status = 302;
  await using server = await startLoopbackServer({
    host: '127.0.0.2',
    onRequest: (_head, socket) => socket.end(redirect(status, location)),
  });
  await using canary = await startLoopbackServer({ port: server.port });
  await using egress = createEgress({ allow: parseCidrs('127.0.0.2/32') });
  // A header line has no characters beyond Latin-1; people type the notations that contain them.
  const corpus = ssrfCorpus(6).filter(({ authority }) => /^[\x21-\x7e]+$/.test(authority));
  const loopback = corpus.filter(({ block }) => block === '127.0.0.0/8' || block === '0.0.0.0/8');
  const others = corpus.filter((_case, index) => index % 10 === 0);
  for (const [index, { authority }] of [...loopback, ...others].entries()) {
    status = [301, 302, 303, 307, 308][index % 5] ?? 302;
    const place = `${authority}:${server.port}/`;
    for (location of [`https://${place}`, `http://${place}`, `//${place}`]) {
      assert.equal(outcome(await egress.request(download(`${server.url}/`))), 'blocked', location);
    }
  }
  assert.deepEqual([canary.connections, canary.bytes], [0, 0]);
});

test('a redirect that is malformed, or to what is no web address, is not followed', async () => {
  await using egress = createEgress({ allow });
  const answers: [string, string][] = [
    ['HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n', 'redirect'],
    ['HTTP/1.1 302 Found\r\nlocation: /a\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n', 'redirect'],
    [redirect(302, 'https://['), 'redirect'],
    [redirect(300, '/a'), 'redirect'],
    [redirect(304, '/a'), 'redirect'],
    [redirect(302, 'file:///etc/passwd'), 'blocked'],
    [redirect(302, 'ftp://127.0.0.1/'), 'blocked'],
    [redirect(302, 'http://user:password@127.0.0.1/'), 'blocked'],
    [redirect(302, `/${'a'.repeat(2_100)}`), 'blocked'],
    [redirect(302, 'http://www.example.com:25/'), 'blocked'],
  ];
  for (const [answer, kind] of answers) {
    await using server = await startAnswering(answer);
    assert.equal(outcome(await egress.request(download(`${server.url}/`))), kind, answer);
  }
});

test('headers that may hold a secret do not go along to another origin', async () => {
  const heads: string[] = [];
  await using second = await startLoopbackServer({
    onRequest(head, socket) {
      heads.push(head);
      socket.end(OK);
    },
  });
  await using first = await startLoopbackServer({
    onRequest(head, socket) {
      heads.push(head);
      socket.end(redirect(302, `${second.url}/`));
    },
  });
  await using egress = createEgress({ allow });
  const headers = { Authorization: 'secret', Cookie: 'secret', 'X-Key': 'secret', 'User-Agent': 'Test/1.0' };
  assert.equal(outcome(await egress.request(download(`${first.url}/`, { headers }))), '200');
  assert.match(heads[0] ?? '', /Authorization: secret/);
  assert.doesNotMatch(heads[1] ?? '', /secret/);
  assert.match(heads[1] ?? '', /User-Agent: Test\/1\.0/);
});
