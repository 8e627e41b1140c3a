import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { problemCodeNames } from '@renderkit/contract/v1/problem-codes.ts';
import { sandboxRecipes } from '@renderkit/contract/v1/sandbox.ts';
import fastify, { type FastifyInstance } from 'fastify';
import { addDocsRoutes } from './routes.ts';

const publicUrl = 'https://pictures.example';
const pages = ['/', '/docs', '/docs/errors', '/docs/sandbox', '/docs/webhooks'];

/** Everything imported so far, by the specifiers in the imports. */
const imported = new Set<string>();
registerHooks({
  resolve: (specifier, context, next) => {
    imported.add(specifier);
    return next(specifier, context);
  },
});

describe('the documents that are served', () => {
  let app: FastifyInstance;
  before(async () => {
    app = fastify();
    await addDocsRoutes(app, { publicUrl });
  });
  after(() => app.close());

  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

  /** Returns every address that a browser would load, follow or send to. */
  const targetsOf = (html: string) =>
    [...html.matchAll(/\b(?:src|href|action|poster|data)="([^"]*)"|url\(([^)]*)\)/g)].map(
      ([, target, url]) => target ?? url ?? '',
    );

  test('the program of the reference is read when it is asked for, and not before', async () => {
    const program = '@scalar/fastify-api-reference';
    for (const path of pages) await get(path);
    assert.ok(!imported.has(program));
    assert.equal((await get('/docs/reference.js')).statusCode, 200);
    assert.ok(imported.has(program));
  });

  test('every page has the bar of links, says which one it is, and leads nowhere that is not there', async () => {
    for (const path of pages) {
      const { statusCode, body, headers } = await get(path);
      assert.equal(statusCode, 200, path);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(body.match(/aria-current="page"/g)?.length, 1, path);
      assert.match(body, new RegExp(`href="${path}" aria-current="page"`));
      for (const target of targetsOf(body)) {
        const [file = '', anchor] = target.split('#');
        assert.ok(file === '' || file.startsWith('/'), `${path} names ${target}`);
        // Another module serves readiness.
        if (file === '/readyz') continue;
        const found = file === '' ? body : (await get(file)).body;
        assert.notEqual(found, '', target);
        if (anchor !== undefined) assert.ok(found.includes(`id="${anchor}"`), target);
      }
    }
  });

  test('no page lets a browser ask anybody else, or be framed by anybody but the console', async () => {
    for (const path of pages) {
      const { headers } = await get(path);
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; /);
      assert.match(policy, /frame-ancestors 'self'/);
      assert.doesNotMatch(policy, /https?:|\*|unsafe-eval/, path);
      assert.doesNotMatch(policy, /script-src [^;]*unsafe/, path);
      assert.deepEqual(
        [headers['x-content-type-options'], headers['referrer-policy']],
        ['nosniff', 'no-referrer'],
      );
    }
  });

  test('the reference draws our own document, and every way to somebody else is switched off', async () => {
    const { body } = await get('/docs');
    const scripts = [...body.matchAll(/<script src="([^"]+)" defer><\/script>/g)].map(([, src]) => src ?? '');
    assert.deepEqual(scripts, ['/docs/reference.js', '/docs/reference-start.js']);
    assert.equal(body.match(/<script/g)?.length, 2, 'nothing inline');
    const start = (await get('/docs/reference-start.js')).body;
    assert.doesNotMatch(start, /https?:|\/\//);
    const given = JSON.parse(/\.\.\.(\{.*\}), darkMode/.exec(start)?.[1] ?? 'null') as Record<
      string,
      unknown
    >;
    assert.deepEqual(
      [given['url'], given['proxyUrl'], given['telemetry'], given['withDefaultFonts']],
      ['/openapi.json', '', false, false],
    );
    assert.deepEqual([given['agent'], given['mcp']], [{ disabled: true }, { disabled: true }]);
  });

  test('the program of the reference comes packed, and not again while it is the same', async () => {
    const packed = await get('/docs/reference.js', { 'accept-encoding': 'gzip, br' });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.match(String(packed.headers['content-type']), /^text\/javascript/);
    const plain = await get('/docs/reference.js', { 'accept-encoding': 'identity, gzip;q=0' });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.ok(gunzipSync(packed.rawPayload).equals(plain.rawPayload));
    assert.ok(packed.rawPayload.length < plain.rawPayload.length / 2);
    assert.match(plain.body, /createApiReference/);
    const again = await get('/docs/reference.js', { 'if-none-match': String(plain.headers.etag) });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
  });

  test('every problem code is explained, with what to do and how to get it', async () => {
    const { body } = await get('/docs/errors');
    for (const code of problemCodeNames) {
      const section = new RegExp(`<section id="${code}">.*?</section>`, 's').exec(body)?.[0] ?? '';
      assert.match(section, /class="todo"/, code);
      assert.equal(section.includes(`/docs/sandbox#${code}`), code !== 'internal_error', code);
    }
  });

  test('every recipe of the sandbox has its anchor', async () => {
    const { body } = await get('/docs/sandbox');
    for (const { id } of sandboxRecipes) assert.ok(body.includes(`<section id="${id}">`), id);
  });

  test('models find all that is served from /llms.txt on, under the address of this service', async () => {
    const index = await get('/llms.txt');
    assert.equal(index.headers['content-type'], 'text/plain; charset=utf-8');
    assert.match(index.body, /^# Renderkit\n\n> /);
    assert.match(index.body, /`POST \/v1\/images\/generations` \(generate\): /);
    assert.ok(index.body.includes(`${publicUrl}/mcp`));
    const texts = [index.body];
    for (const [, path = ''] of index.body.matchAll(/\]\(https:\/\/pictures\.example([^)]*\.md)\)/g))
      texts.push((await get(path)).body);
    assert.equal(texts.length, 6);
    for (const text of texts) {
      assert.ok(!text.includes('127.0.0.1:8787'));
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (target.startsWith('#')) continue;
        assert.ok(URL.canParse(target), target);
        if (target.startsWith(publicUrl))
          assert.equal(
            (await get(target.slice(publicUrl.length).split('#')[0] ?? '')).statusCode,
            200,
            target,
          );
      }
    }
  });
});
