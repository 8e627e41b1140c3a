import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { readServiceConfig } from './config.ts';

const least = {
  DATABASE_URL: 'postgres://localhost/service',
  STUDIO_CLIENT_ID: 'service',
  STUDIO_CLIENT_SECRET: 'a secret of the client',
  SECRET_KEY: 'ab'.repeat(32),
};

test('with the least that is needed the rest has defaults', () => {
  const { secretKey, consoleDirectory, ...config } = readServiceConfig({ ...least, LOG_LEVEL: '' });
  assert.match(consoleDirectory, /[/\\]console[/\\]dist$/);
  assert.equal(secretKey.toString('hex'), least.SECRET_KEY);
  assert.deepEqual(config, {
    databaseUrl: least.DATABASE_URL,
    databasePool: 10,
    host: '127.0.0.1',
    port: 8787,
    publicUrl: 'http://127.0.0.1:8787',
    studioUrl: 'http://127.0.0.1:8788',
    studioPublicUrl: 'http://127.0.0.1:8788',
    studioClientId: least.STUDIO_CLIENT_ID,
    studioClientSecret: least.STUDIO_CLIENT_SECRET,
    egressAllow: [],
    trustProxy: [],
    metricsToken: undefined,
    queueCap: 1000,
    facades: ['openai', 'a1111'],
    holdSeconds: 600,
    facadeHeartbeatAfterSeconds: 45,
    logLevel: 'info',
    docsUrl: 'http://127.0.0.1:8787/docs',
  });
});

test('pages may show what the studio sends people on to, and nothing else of a bucket', () => {
  const bucket = { S3_ENDPOINT: 'https://s3.example.org:9000', S3_BUCKET: 'media' };
  const originOf = (more: Record<string, string>) =>
    readServiceConfig({ ...least, ...bucket, ...more }).mediaOrigin;
  assert.equal(originOf({}), undefined);
  assert.equal(originOf({ MEDIA_DELIVERY: 'redirect' }), bucket.S3_ENDPOINT);
  assert.equal(
    originOf({ MEDIA_DELIVERY: 'redirect', S3_PATH_STYLE: 'off' }),
    'https://media.s3.example.org:9000',
  );
});

test('addresses follow one from the other', () => {
  const config = readServiceConfig({
    ...least,
    PUBLIC_URL: 'https://media.example.org',
    STUDIO_URL: 'http://studio:9000',
    TRUST_PROXY: '10.0.0.0/8, ::1',
    EGRESS_ALLOW: '127.0.0.0/8',
  });
  assert.equal(config.docsUrl, 'https://media.example.org/docs');
  assert.equal(config.studioPublicUrl, 'http://studio:9000');
  assert.deepEqual(config.trustProxy, ['10.0.0.0/8', '::1']);
  assert.deepEqual(config.egressAllow, ['127.0.0.0/8']);
  assert.equal(
    readServiceConfig({ ...least, DOCS_URL: 'https://docs.example.org/a/' }).docsUrl,
    'https://docs.example.org/a',
  );
  const below = readServiceConfig({ ...least, PUBLIC_URL: 'https://example.org/tools/renderkit/' });
  assert.deepEqual(
    [below.publicUrl, below.docsUrl],
    ['https://example.org/tools/renderkit', 'https://example.org/tools/renderkit/docs'],
  );
  assert.deepEqual(readServiceConfig({ ...least, TRUST_PROXY: 'off' }).trustProxy, []);
});

test('a wrong value stops the start with a sentence that names the variable and repeats no secret', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ DATABASE_URL: '' }, /^DATABASE_URL is not set/],
    [{ DATABASE_URL: 'mysql://user:hunter2@host' }, /^DATABASE_URL must/],
    [{ SECRET_KEY: 'hunter2' }, /^SECRET_KEY has the wrong shape/],
    [{ STUDIO_CLIENT_ID: ' ' }, /^STUDIO_CLIENT_ID is not set/],
    [{ PORT: '70000' }, /^PORT is "70000"/],
    [{ PUBLIC_URL: 'media.example.org' }, /^PUBLIC_URL is/],
    [{ PUBLIC_URL: 'https://example.org/a b' }, /^PUBLIC_URL is/],
    [{ PUBLIC_URL: 'https://example.org/a?b=c' }, /^PUBLIC_URL is/],
    [{ PUBLIC_URL: 'https://example.org/v1' }, /^PUBLIC_URL ends with \/v1,/],
    [{ PUBLIC_URL: 'https://example.org/console/' }, /^PUBLIC_URL ends with \/console,/],
    [{ EGRESS_ALLOW: '10.0.0.0/8,10.0.0.0/33' }, /^EGRESS_ALLOW holds "10.0.0.0\/33"/],
    // Trusting every proxy would mean trusting the client itself.
    [{ TRUST_PROXY: 'on' }, /^TRUST_PROXY holds "on"/],
    [{ TRUST_PROXY: 'my-proxy' }, /^TRUST_PROXY holds "my-proxy"/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL is "loud".*debug/],
    [{ FACADES: 'openai,fax' }, /^FACADES names "fax"/],
    [{ QUEUE_CAP: '0' }, /^QUEUE_CAP is "0"/],
    [{ DOCS_URL: 'docs' }, /^DOCS_URL is "docs"/],
  ];
  for (const [change, sentence] of wrong)
    assert.throws(
      () => readServiceConfig({ ...least, ...change }),
      (error) =>
        error instanceof ConfigError && sentence.test(error.message) && !/hunter2/.test(error.message),
      JSON.stringify(change),
    );
});
