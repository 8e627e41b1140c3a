import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import fastifyCookie from '@fastify/cookie';
import fastify from 'fastify';
import { createAttempts } from './pending-sign-ins.ts';
import { returnTo } from './return-to.ts';

for (const publicUrl of ['https://renderkit.example.org', 'https://example.org/tools/renderkit.2'])
  test(`as many tries as a browser may have open fit into the headers of its next request at ${publicUrl}`, () =>
    tryOften(publicUrl));

async function tryOften(publicUrl: string): Promise<void> {
  await using app = fastify();
  await app.register(fastifyCookie, { hook: false });
  const attempts = createAttempts({
    cookies: app,
    publicUrl,
    secretKey: Buffer.alloc(32, 1),
  });
  const longest = Array.from({ length: 3_000 }, (_, i) => returnTo(`/console?${'x'.repeat(i)}`)).reduce(
    (a, b) => (a.length > b.length ? a : b),
  );
  const jar = new Map<string, string>();
  for (let i = 0; i < 8; i++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const request = { headers: { cookie } } as IncomingMessage;
    const state = `${i}`.padEnd(43, 's');
    const attempt = {
      state,
      nonce: 'n'.repeat(43),
      verifier: 'v'.repeat(43),
      returnTo: longest,
      anew: false,
    };
    for (const line of attempts.remember(request, attempt)) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      // RFC 6265 §6.1: browsers need not store larger cookies.
      assert.ok(name.length + value.length < 4_096);
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
  }
  assert.equal(jar.size, 5);
  const bytes = [...jar].reduce((sum, [name, value]) => sum + name.length + value.length + 3, 0);
  // A request's headers may have 16 KB in total (createHttpServer).
  assert.ok(bytes < 10_000, `${bytes}`);
}
