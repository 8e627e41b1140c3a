import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { readStudioConfig, readWorkerConfig } from './config.ts';

const least = {
  STUDIO_DATABASE_URL: 'postgres://x/y',
  STUDIO_CLIENT_SECRET: 'a secret of sixteen or more',
  SECRET_KEY: '7e'.repeat(32),
};

test('a secret may stand in a file, and the variable itself comes first', async (t) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'secrets-'));
  t.after(() => rm(directory, { recursive: true }));
  const file = path.join(directory, 'secret');
  await writeFile(file, 'what stands in the file\n');
  const environment = { ...least, STUDIO_CLIENT_SECRET: undefined, STUDIO_CLIENT_SECRET_FILE: file };
  assert.equal(readStudioConfig(environment).client.secret, 'what stands in the file');
  const { client } = readStudioConfig({ ...environment, ...least });
  assert.equal(client.secret, least.STUDIO_CLIENT_SECRET);
});

test('the key of a bucket may stand in files likewise, for the studio and for a worker', async (t) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'secrets-'));
  t.after(() => rm(directory, { recursive: true }));
  const file = (name: string) => path.join(directory, name);
  await writeFile(file('id'), 'THE-ID\n');
  await writeFile(file('secret'), 'the secret\n');
  const environment = {
    ...least,
    MEDIA_STORE: 's3',
    S3_ENDPOINT: 'http://s3.example',
    S3_BUCKET: 'media',
    S3_ACCESS_KEY_ID_FILE: file('id'),
    S3_SECRET_ACCESS_KEY_FILE: file('secret'),
  };
  for (const { s3 } of [readStudioConfig(environment), readWorkerConfig(environment)])
    assert.deepEqual([s3?.accessKeyId, s3?.secretAccessKey], ['THE-ID', 'the secret']);
  assert.throws(
    () => readWorkerConfig({ ...environment, S3_SECRET_ACCESS_KEY_FILE: '/nowhere' }),
    /^ConfigError: S3_SECRET_ACCESS_KEY_FILE is .* \(ENOENT\)/,
  );
});

test('without a word about it nobody signs in or up, and no proxy is believed', () => {
  const { client, signUp, trustProxy } = readStudioConfig(least);
  assert.deepEqual(
    [client.name, client.url, client.redirectUris, client.logoutUris],
    ['Renderkit', undefined, [], []],
  );
  assert.deepEqual([signUp, trustProxy], ['closed', []]);
});

test('the ways back are kept as they were written', () => {
  const { client } = readStudioConfig({
    ...least,
    STUDIO_CLIENT_REDIRECT_URIS: 'https://Api.Example.org/back, http://127.0.0.1:1/back?x=1',
    STUDIO_CLIENT_URL: 'https://api.example.org/console',
  });
  assert.deepEqual(client.redirectUris, ['https://Api.Example.org/back', 'http://127.0.0.1:1/back?x=1']);
  assert.equal(client.url, 'https://api.example.org/console');
});

test('proxies are named by address or network', () => {
  const trusted = (value: string) => readStudioConfig({ ...least, TRUST_PROXY: value }).trustProxy;
  assert.deepEqual(trusted('10.0.0.0/8, ::1'), ['10.0.0.0/8', '::1']);
  assert.deepEqual(trusted('off'), []);
});

for (const [environment, sentence] of [
  [{ STUDIO_SIGN_UP: 'yes' }, /^STUDIO_SIGN_UP is "yes", but it must be one of open, closed\.$/],
  [{ STUDIO_CLIENT_REDIRECT_URIS: 'api.example.org/back' }, /^STUDIO_CLIENT_REDIRECT_URIS holds "api\.ex/],
  [{ STUDIO_CLIENT_REDIRECT_URIS: 'https://a.example/#x' }, /^STUDIO_CLIENT_REDIRECT_URIS holds/],
  [{ STUDIO_CLIENT_LOGOUT_URIS: 'javascript:alert(1)' }, /^STUDIO_CLIENT_LOGOUT_URIS holds/],
  [{ STUDIO_CLIENT_URL: 'ftp://a.example' }, /^STUDIO_CLIENT_URL holds/],
  [{ STUDIO_CLIENT_SIGN_IN_URL: 'javascript:alert(1)' }, /^STUDIO_CLIENT_SIGN_IN_URL holds/],
  [{ STUDIO_CLIENT_SECRET: 'short' }, /^STUDIO_CLIENT_SECRET is too short/],
  [
    { STUDIO_CLIENT_SECRET: '', STUDIO_CLIENT_SECRET_FILE: '/nowhere' },
    /^STUDIO_CLIENT_SECRET_FILE is .* \(ENOENT\)/,
  ],
  [{ MEDIA_STORE: 's3' }, /^S3_ENDPOINT is not set/],
  [{ MEDIA_STORE: 's3', S3_ENDPOINT: 'http://s3.example' }, /^S3_BUCKET is not set/],
  [{ MEDIA_DELIVERY: 'redirect' }, /^MEDIA_DELIVERY is redirect, but MEDIA_STORE is not s3/],
  // If every proxy were trusted, clients could choose their own address, and tries would not be counted.
  [{ TRUST_PROXY: 'on' }, /^TRUST_PROXY holds "on"/],
  [{ TRUST_PROXY: 'my-proxy' }, /^TRUST_PROXY holds "my-proxy"/],
  [{ TRUST_PROXY: '10.0.0.0/99' }, /^TRUST_PROXY holds/],
  [{ TRUST_PROXY: '::1/129' }, /^TRUST_PROXY holds/],
] as const)
  test(`one sentence tells what is wrong with ${JSON.stringify(environment)}`, () => {
    assert.throws(
      () => readStudioConfig({ ...least, ...environment }),
      (error: unknown) => error instanceof ConfigError && sentence.test(error.message),
    );
  });

test('a worker serves what WORKER_LABELS names on its own machine, and all where it is left out', () => {
  const labels = (text?: string) => readWorkerConfig({ ...least, WORKER_LABELS: text }).labels;
  assert.deepEqual(labels('procedural, gpu'), ['procedural', 'gpu']);
  assert.deepEqual(labels(), []);
});
