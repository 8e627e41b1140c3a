import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { connect, endSession, setMaintenance } from '@renderkit/studio/operator.ts';
import { basic, client, readChanges, refresh, startTestStudio, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(async () => (studio = await startTestStudio({ worker: false })));
after(async () => studio[Symbol.asyncDispose]());

const statusOf = async (accessToken: string) =>
  (await fetch(`${studio.url}/api/account`, { headers: { authorization: `Bearer ${accessToken}` } })).status;

test('discovery names the issuer, and introspection knows our own tokens', async () => {
  const { issuer } = (await (await fetch(`${studio.url}/api/metadata`)).json()) as { issuer: string };
  const found = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Record<
    string,
    string
  >;
  assert.equal(found['issuer'], issuer);
  assert.equal(found['token_endpoint'], `${issuer}/token`);
  const keys = (await (await fetch(found['jwks_uri'] ?? '')).json()) as { keys: Record<string, unknown>[] };
  assert.equal(keys.keys[0]?.['d'], undefined);
  const account = await studio.connect();
  const introspect = async (token: string) =>
    (await (
      await fetch(found['introspection_endpoint'] ?? '', {
        method: 'POST',
        headers: { authorization: basic() },
        body: new URLSearchParams({ token }),
      })
    ).json()) as { active: boolean; sub?: string; exp?: number; iat?: number };
  const known = await introspect(account.accessToken);
  assert.deepEqual([known.active, known.sub], [true, account.id]);
  assert.equal((known.exp ?? 0) - (known.iat ?? 0), 15 * 60);
  assert.equal((await introspect('nonsense')).active, false);
});

test('a rotated refresh token serves again until its successor is used; then its use ends the family', async () => {
  const first = await studio.connect();
  const second = await refresh(studio.url, first.refreshToken);
  // Answers that arrived too late for the client.
  for (let late = 0; late < 3; late++) await refresh(studio.url, first.refreshToken);
  const again = await refresh(studio.url, first.refreshToken);
  assert.notEqual(second.refreshToken, again.refreshToken);
  assert.equal(await statusOf(again.accessToken), 200);
  const third = await refresh(studio.url, again.refreshToken);
  assert.equal(await statusOf(third.accessToken), 200);
  await assert.rejects(refresh(studio.url, first.refreshToken), /400 invalid_grant/);
  await assert.rejects(refresh(studio.url, third.refreshToken), /400 invalid_grant/);
  assert.equal(await statusOf(third.accessToken), 401);
});

test('reuse within a minute of the last use serves, and later ends the family', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const first = await studio.connect();
  await refresh(studio.url, first.refreshToken);
  await moveClock(studio.database, 50);
  const second = await refresh(studio.url, first.refreshToken);
  await moveClock(studio.database, 111);
  await assert.rejects(refresh(studio.url, first.refreshToken), /400 invalid_grant/);
  assert.equal(await statusOf(second.accessToken), 401);
  await assert.rejects(refresh(studio.url, second.refreshToken), /400 invalid_grant/);
});

test('a rotated refresh token serves for ten minutes at most, however often it is asked with', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const first = await studio.connect();
  for (let seconds = 0; seconds < 600; seconds += 55) {
    await moveClock(studio.database, seconds);
    await refresh(studio.url, first.refreshToken);
  }
  await moveClock(studio.database, 601);
  await assert.rejects(refresh(studio.url, first.refreshToken), /400 invalid_grant/);
});

test('of many parallel uses of one refresh token each is answered, and the first that goes on ends the others', async () => {
  const first = await studio.connect();
  const answered = await Promise.all(
    Array.from({ length: 8 }, () => refresh(studio.url, first.refreshToken)),
  );
  assert.equal(new Set(answered.map(({ refreshToken }) => refreshToken)).size, 8);
  const next = await refresh(studio.url, answered[0]?.refreshToken ?? '');
  await assert.rejects(refresh(studio.url, answered[7]?.refreshToken ?? ''), /400 invalid_grant/);
  assert.equal(await statusOf(next.accessToken), 401);
});

test('an access token lives fifteen minutes', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const account = await studio.connect();
  await moveClock(studio.database, 14 * 60);
  assert.equal(await statusOf(account.accessToken), 200);
  await moveClock(studio.database, 15 * 60 + 5);
  assert.equal(await statusOf(account.accessToken), 401);
});

test('a connection that the operator ends stops at once, in the feed too, and can be made again', async () => {
  const account = await studio.connect();
  const other = await studio.connect();
  const feed = () =>
    readChanges(
      studio.url,
      [account, other].map(({ id }) => ({ account: id, cursor: 0 })),
    );
  assert.deepEqual(await feed(), []);
  await endSession(studio.database, account.email, client.id);
  const { status, body } = await account.call<{ code: string }>('GET', '/api/balance');
  assert.deepEqual([status, body.code], [401, 'invalid_token']);
  await assert.rejects(refresh(studio.url, account.refreshToken), /400 invalid_grant/);
  assert.deepEqual(await feed(), [{ account: account.id, status: 'ended' }]);
  const { refreshToken, accountId } = await connect(studio.database, account.email, client.id);
  assert.equal(accountId, account.id);
  assert.equal(await statusOf((await refresh(studio.url, refreshToken)).accessToken), 200);
  assert.deepEqual(await feed(), []);
});

test('a refresh that meets the end of its grant leaves no token that works', async () => {
  for (let round = 0; round < 10; round++) {
    const account = await studio.connect();
    const [refreshed] = await Promise.allSettled([
      refresh(studio.url, account.refreshToken),
      endSession(studio.database, account.email, client.id),
    ]);
    if (refreshed?.status === 'fulfilled') assert.equal(await statusOf(refreshed.value.accessToken), 401);
  }
});

test('tokens are stored by their hash alone', async () => {
  const account = await studio.connect();
  const rows = await studio.database.rows<{ row: string }>(
    'select oidc_payloads::text as row from oidc_payloads',
  );
  const text = rows.map(({ row }) => row).join('\n');
  assert.ok(text.includes(account.id));
  assert.ok(!text.includes(account.accessToken));
  assert.ok(!text.includes(account.refreshToken));
});

test("the feed wants the client's own credentials", async () => {
  const account = await studio.connect();
  const post = (authorization: string) =>
    fetch(`${studio.url}/api/changes`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ accounts: [{ account: account.id, cursor: 0 }], wait_seconds: 0 }),
    });
  assert.equal((await post(basic())).status, 200);
  assert.equal((await post(`Bearer ${account.accessToken}`)).status, 401);
  assert.equal((await post(`Basic ${btoa(`${client.id}:wrong`)}`)).status, 401);
  assert.equal((await post(`Basic ${btoa(`someone:${client.secret}`)}`)).status, 401);
});

test('under maintenance every call answers 503 and says when to come back; media do not', async (t) => {
  t.after(() => setMaintenance(studio.database, false));
  const account = await studio.connect();
  await setMaintenance(studio.database, true);
  for (const path of ['/api/metadata', '/api/account', '/api/catalog']) {
    const { status, body, headers } = await account.call<{ code: string; retry_after: number }>('GET', path);
    assert.deepEqual([status, body.code], [503, 'maintenance'], path);
    assert.equal(headers.get('retry-after'), String(body.retry_after));
  }
  await assert.rejects(readChanges(studio.url, [{ account: account.id, cursor: 0 }]), /503/);
  assert.equal((await fetch(`${studio.url}/media/${'a'.repeat(32)}/x.png`)).status, 404);
  await setMaintenance(studio.database, false);
  assert.equal(await statusOf(account.accessToken), 200);
});
