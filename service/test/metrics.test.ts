import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exchange, firstAnswer } from '@renderkit/server-kit/testing/raw-http.ts';
import { startTestService, type TestService } from './harness.ts';

let service: TestService;
before(async () => (service = await startTestService()));
after(() => service[Symbol.asyncDispose]());

describe('/metrics', () => {
  const ask = (url: string, lines: string, path = '/metrics') =>
    exchange(url, `GET ${path} HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`).then(
      (got) => firstAnswer(got)?.status,
    );

  test('is not for pages of other sites in a browser of this machine', async () => {
    for (const host of [
      'localhost:1',
      'LOCALHOST.',
      '127.0.0.1',
      '127.9.9.9:8787',
      '[::1]:8787',
      'renderkit.test',
    ])
      assert.equal(await ask(service.url, `Host: ${host}`), 200, host);
    for (const host of [
      'evil.example',
      'evil.example:8787',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.1',
      '0.0.0.0',
    ])
      assert.equal(await ask(service.url, `Host: ${host}`), 404, host);
    for (const [site, status] of [
      ['cross-site', 404],
      ['same-site', 404],
      ['same-origin', 200],
      ['none', 200],
    ] as const)
      assert.equal(await ask(service.url, `Host: localhost\r\nSec-Fetch-Site: ${site}`), status, site);
    const { text } = await exchange(
      service.url,
      'GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    assert.match(text, /^HTTP\/1\.1 404 /);
  });

  test('is for the holder of the token by any name', async () => {
    await using guarded = await service.startAnother({}, { metricsToken: 'a token' });
    assert.equal(await ask(guarded.url, 'Host: metrics.example\r\nAuthorization: Bearer a token'), 200);
    assert.equal(await ask(guarded.url, 'Host: localhost'), 404);
  });

  test('health is for everybody by any name', async () => {
    for (const path of ['/healthz', '/readyz'])
      assert.equal(await ask(service.url, 'Host: evil.example', path), 200);
  });
});
