import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { addressOf, partEnvironments, readStackConfig } from './config.ts';

test('an empty environment is a good one', () => {
  const config = readStackConfig({});
  assert.equal(config.dataDirectory, path.resolve('.data'));
  assert.deepEqual(
    [config.host, config.port, config.studioPort, config.demo],
    ['127.0.0.1', 8787, 8788, true],
  );
});

test('a stack that others can reach makes no demo account unless told so', () => {
  assert.equal(readStackConfig({ HOST: '0.0.0.0' }).demo, false);
  assert.equal(readStackConfig({ HOST: '0.0.0.0', DEMO: 'on' }).demo, true);
  assert.equal(readStackConfig({ DEMO: 'off' }).demo, false);
});

test('a stack on loopback that a proxy shows to others is as one that others can reach', () => {
  for (const name of ['PUBLIC_URL', 'STUDIO_PUBLIC_URL']) {
    const { demo, signUp } = readStackConfig({ HOST: '127.0.0.1', [name]: 'https://studio.example.org' });
    assert.deepEqual([demo, signUp], [false, 'closed'], name);
    for (const own of ['http://localhost:8787', 'http://[::1]:8787', 'http://127.0.0.1:8787'])
      assert.equal(readStackConfig({ [name]: own }).signUp, 'open', own);
  }
});

for (const [environment, sentence] of [
  [{ PORT: 'http' }, 'PORT is "http", but it must be a whole number from 0 to 65535.'],
  [{ PORT: '8788' }, 'PORT and STUDIO_PORT are both 8788: give one of them another number.'],
  [{ DEMO: 'yes' }, 'DEMO is "yes", but it must be one of on, off.'],
  [{ PUBLIC_URL: 'example.org' }, /^PUBLIC_URL is "example.org", but it must be an http or https address/],
  [
    { DATABASE_URL: 'postgres://localhost/a' },
    /^DATABASE_URL is set alone|^STUDIO_DATABASE_URL is set alone/,
  ],
  [{ DATABASE_URL: 'mysql://x', STUDIO_DATABASE_URL: 'postgres://x/y' }, /^DATABASE_URL must be an address/],
  [{ DATABASE_URL: 'postgres://x/y', STUDIO_DATABASE_URL: 'postgres://x/y' }, /are the same/],
  [{ SECRET_KEY: 'short' }, /^SECRET_KEY has the wrong shape/],
  [{ WORKERS: '-1' }, /^WORKERS is "-1"/],
  [{ EGRESS_ALLOW: '10.0.0.0/99' }, /^EGRESS_ALLOW holds/],
] as const)
  test(`one sentence tells what is wrong with ${JSON.stringify(environment)}`, () => {
    assert.throws(
      () => readStackConfig(environment),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError);
        if (typeof sentence === 'string') assert.equal(error.message, sentence);
        else assert.match(error.message, sentence);
        return true;
      },
    );
  });

test('no part gets what another alone needs', () => {
  const config = readStackConfig({ SECRET_KEY: 'a'.repeat(64), LOG_LEVEL: 'debug', PATH: '/bin' });
  const { service, studio, worker } = partEnvironments(config, {
    databases: { service: 'postgres://s', studio: 'postgres://t' },
    port: 1,
    studioPort: 2,
    secretKey: 'b'.repeat(64),
    studioClientSecret: 'c'.repeat(32),
  });
  assert.equal(service['STUDIO_DATABASE_URL'], undefined);
  assert.equal(studio['DATABASE_URL'], undefined);
  assert.equal(worker['DATABASE_URL'] ?? worker['STUDIO_CLIENT_SECRET'], undefined);
  assert.deepEqual([studio['SECRET_KEY'], worker['SECRET_KEY']], ['b'.repeat(64), 'b'.repeat(64)]);
  assert.deepEqual(
    [service['STUDIO_URL'], studio['LOG_LEVEL'], worker['PATH']],
    ['http://127.0.0.1:2', 'debug', '/bin'],
  );
});

test('the studio is told where the console is, unless the operator says it', () => {
  const facts = {
    databases: { service: 'postgres://s', studio: 'postgres://t' },
    port: 1,
    studioPort: 2,
    secretKey: 'b'.repeat(64),
    studioClientSecret: 'c'.repeat(32),
  };
  const told = (environment: Record<string, string>) => {
    const { studio } = partEnvironments(readStackConfig(environment), facts);
    return [studio['STUDIO_CLIENT_REDIRECT_URIS'], studio['STUDIO_CLIENT_LOGOUT_URIS']];
  };
  assert.deepEqual(told({}), [
    'http://127.0.0.1:1/console/auth/callback',
    'http://127.0.0.1:1/console/signed-out',
  ]);
  assert.deepEqual(told({ PUBLIC_URL: 'https://api.example.org' }), [
    'https://api.example.org/console/auth/callback',
    'https://api.example.org/console/signed-out',
  ]);
  assert.equal(told({ STUDIO_CLIENT_REDIRECT_URIS: 'https://x.example/back' })[0], 'https://x.example/back');
});

test('strangers make no accounts unless they are told that they may', () => {
  assert.equal(readStackConfig({}).signUp, 'open');
  assert.equal(readStackConfig({ HOST: '0.0.0.0' }).signUp, 'closed');
  assert.equal(readStackConfig({ HOST: '0.0.0.0', STUDIO_SIGN_UP: 'open' }).signUp, 'open');
  assert.equal(readStackConfig({ STUDIO_SIGN_UP: 'closed' }).signUp, 'closed');
});

test('a wildcard is no address to go to', () => {
  assert.equal(addressOf('0.0.0.0', 1), 'http://127.0.0.1:1');
  assert.equal(addressOf('::1', 1), 'http://[::1]:1');
});
