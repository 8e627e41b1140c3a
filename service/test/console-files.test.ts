import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { addConsoleFiles } from '../src/console-api/files.ts';
import { assertProblem } from './assert-problem.ts';
import { startTestService, type TestService } from './harness.ts';

const script = 'export const here = true;\n';

test('pictures of a studio at an IPv6 address may be shown', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'console-'));
  await writeFile(path.join(directory, 'index.html'), '');
  await using app = fastify();
  const studioPublicUrl = 'http://[::1]:8788';
  await addConsoleFiles(app, {
    consoleDirectory: directory,
    publicUrl: 'http://[::1]:8787',
    studioPublicUrl,
  });
  const { headers } = await app.inject('/console');
  assert.match(String(headers['content-security-policy']), /; img-src 'self' blob: data: http:; /);
  await rm(directory, { recursive: true });
});

describe("the console's files", () => {
  let service: TestService;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'console-'));
    await mkdir(path.join(directory, 'assets'));
    await writeFile(
      path.join(directory, 'index.html'),
      '<meta name="csp-nonce" content="__NONCE__"><script type="module" src="/console/assets/a-B1.js"></script>',
    );
    await writeFile(path.join(directory, 'assets/a-B1.js'), script);
    await writeFile(path.join(directory, 'assets/a-B1.js.gz'), gzipSync(script));
    await writeFile(path.join(directory, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    await writeFile(path.join(directory, '.secret.txt'), 'not for anybody');
    service = await startTestService({
      config: { consoleDirectory: directory, studioPublicUrl: 'https://studio.test' },
    });
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  test('every address that is no file is the application, with a nonce of its own each time', async () => {
    const nonces = new Set<string>();
    for (const address of ['/console', '/console/', '/console/keys', '/console/generations/gen_1?page=2']) {
      const answer = await service.ask<string>(address);
      assert.equal(answer.status, 200, address);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const policy = answer.headers.get('content-security-policy') ?? '';
      const nonce = /'nonce-([\w+/=]{22,})'/.exec(policy)?.[1] ?? '';
      assert.ok(answer.text.includes(`content="${nonce}"`), answer.text);
      nonces.add(nonce);
      for (const directive of [
        "default-src 'none'",
        "script-src 'self'",
        "img-src 'self' blob: data: https://studio.test",
        "media-src 'self' blob: data: https://studio.test",
        "connect-src 'self'",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
      ])
        assert.ok(policy.split('; ').includes(directive), `${directive}: ${policy}`);
      assert.doesNotMatch(policy, /unsafe/);
    }
    assert.equal(nonces.size, 4);
  });

  test('files with a hash in their names are kept for a year, compressed where the build made them so', async () => {
    const answer = await service.ask('/console/assets/a-B1.js', {
      headers: { 'accept-encoding': 'identity' },
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.text, script);
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.match(answer.headers.get('content-type') ?? '', /^(?:text|application)\/javascript/);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    const zipped = await bytesOf(`${service.url}/console/assets/a-B1.js`, { 'accept-encoding': 'gzip' });
    assert.equal(zipped.headers['content-encoding'], 'gzip');
    assert.match(zipped.headers['vary'] ?? '', /accept-encoding/i);
    assert.match(String(zipped.headers['content-type']), /^(?:text|application)\/javascript/);
    assert.equal(gunzipSync(zipped.bytes).toString(), script);
    const icon = await service.ask('/console/icon.svg');
    assert.equal(icon.headers.get('cache-control'), 'public, max-age=300');
  });

  test('what is no file of the console is not found, and never read', async () => {
    for (const address of [
      '/console/assets/none.js',
      '/console/.secret.txt',
      '/console/assets/../.secret.txt',
      '/console/assets/..%2f.secret.txt',
      '/console/..%2f..%2fpackage.json',
      '/console/%2e%2e/package.json',
      '/console//etc/passwd.txt',
      '/console/assets/a-B1.js/x.y',
      '/console/assets\\a-B1.js',
      '/console/a%00.js',
    ]) {
      const { status, bytes, headers } = await bytesOf(service.url, {}, address);
      assert.equal(status, 404, `${address} ${bytes.toString()}`);
      assert.equal(headers['content-type'], 'application/problem+json', address);
    }
    const index = await service.ask<string>('/console/index.html');
    assert.doesNotMatch(index.text, /__NONCE__/);
  });

  test('a path below the API is never taken for a page', async () => {
    for (const address of ['/console/api/nothing', '/console/api/v1/nothing', '/console/api/v1'])
      assertProblem(await service.ask(address), 'unauthorized', address);
  });

  test('by another name of this machine the browser is sent to the public one', async () => {
    await using local = await startTestService({
      config: { consoleDirectory: directory, publicUrl: 'http://127.0.0.1:8787' },
    });
    const at = (host: string, address: string) => bytesOf(local.url, { host }, address);
    const sent = await at('localhost:8787', '/console/keys?page=2');
    assert.deepEqual(
      [sent.status, sent.headers.location],
      [302, 'http://127.0.0.1:8787/console/keys?page=2'],
    );
    for (const host of [
      '127.0.0.1:8787',
      'localhost:9999',
      'media.example.org',
      'localhost.example.org:8787',
    ])
      assert.equal((await at(host, '/console/keys')).status, 200, host);
  });

  test('without a built console a page says how to build it', async () => {
    await using bare = await startTestService({ config: { consoleDirectory: path.join(directory, 'none') } });
    for (const address of ['/console', '/console/keys']) {
      const answer = await bare.ask<string>(address);
      assert.equal(answer.status, 503);
      assert.match(answer.text, /CONSOLE_DIRECTORY/);
    }
    assert.equal((await bare.ask('/console/assets/a.js')).status, 404);
  });
});

/** Uses node:http, which sends paths and hosts unchanged. */
async function bytesOf(url: string, headers: Record<string, string>, address?: string) {
  const sent = request(url, { headers, ...(address !== undefined && { path: address }) }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers as Record<string, string | undefined>,
    bytes: Buffer.concat(chunks),
  };
}
