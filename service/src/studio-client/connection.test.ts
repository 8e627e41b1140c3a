import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, moveClock, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { clientOf, connect, startUpstream, type Upstream } from '../../test/upstream-fixture.ts';
import type { StudioClient } from './studio-client.ts';
import { StudioFailure } from './studio-failure.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase('service');
});
after(async () => {
  await db[Symbol.asyncDispose]();
});

const refreshes = ({ studio }: Upstream) =>
  studio.seen.filter(({ operation }) => operation === 'token').length;
const ask = (client: StudioClient, accountId: string) => client.call('getBalance', { accountId });

async function kindOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'fine',
    (error: unknown) => (error instanceof StudioFailure ? error.kind : String(error)),
  );
}

async function rowOf(accountId: string) {
  const rows = await db.database.rows<{
    status: string;
    version: number;
    refresh_owner: string | null;
    text: string;
  }>(
    'select status, version, refresh_owner, connections::text as text from connections where account_id = $1',
    [accountId],
  );
  assert.ok(rows[0]);
  return rows[0];
}

test('the first call fetches a token, the next ones use it, and another process does too', async () => {
  await using upstream = await startUpstream(db.database);
  const { client, accountId, studio } = upstream;
  await Promise.all(Array.from({ length: 20 }, () => ask(client, accountId)));
  await ask(client, accountId);
  assert.equal(refreshes(upstream), 1);
  await using other = clientOf(db.database, studio.url);
  await ask(other, accountId);
  assert.equal(refreshes(upstream), 1);
});

test('no token stands in the database in clear, and none opens for another account', async () => {
  await using upstream = await startUpstream(db.database);
  const { client, accountId, studio } = upstream;
  await ask(client, accountId);
  const { text } = await rowOf(accountId);
  const sent = studio.seen.map(({ authorization, body }) => `${authorization} ${body}`).join(' ');
  const tokens = [...sent.matchAll(/Bearer (\S+)|refresh_token=([\w-]{20,})/g)].map(
    ([, access, refresh]) => access ?? refresh ?? '',
  );
  assert.ok(tokens.length >= 2);
  for (const token of tokens) assert.ok(!text.includes(token));

  const other = await connect(db.database, { ...studio, account: { ...studio.account, id: 'acc_second' } });
  await db.database.rows(
    `update connections c set access_token_sealed = o.access_token_sealed, access_expires_at = o.access_expires_at
       from connections o where o.account_id = $1 and c.account_id = $2`,
    [accountId, other.accountId],
  );
  await using fresh = clientOf(db.database, studio.url);
  assert.match(await kindOf(ask(fresh, other.accountId)), /DecryptionError/);
});

test('two processes that need a new token at once refresh it once, and nobody is logged out', async () => {
  await using upstream = await startUpstream(db.database);
  const { client, accountId, studio } = upstream;
  // Without grace, reuse of a rotated token would end the session at once.
  studio.graceMs = 0;
  await using other = clientOf(db.database, studio.url);
  for (let round = 1; round <= 10; round++) {
    studio.expireAccessTokens();
    await Promise.all([client, other, client, other, other].map((one) => ask(one, accountId)));
    assert.equal(refreshes(upstream), round);
  }
  assert.equal((await rowOf(accountId)).status, 'live');
});

test('a process that dies between the answer and the commit logs nobody out', async () => {
  let dying = true;
  await using upstream = await startUpstream(db.database, {
    crashPoint: () => (dying ? new Promise<void>(() => {}) : undefined),
  });
  const { client, accountId, studio } = upstream;
  void ask(client, accountId).catch(() => {});
  await until(
    'the refresh',
    async () => (await rowOf(accountId)).refresh_owner !== null && refreshes(upstream) > 0,
  );
  await using other = clientOf(db.database, studio.url);
  const began = performance.now();
  await ask(other, accountId);
  assert.ok(performance.now() - began < 8_000, 'it outwaits the lease');
  assert.equal(refreshes(upstream), 2);
  assert.equal((await rowOf(accountId)).status, 'live');
  dying = false;
});

test('a refresh that nobody needs any more is taken up again before the studio forgets', async () => {
  await using upstream = await startUpstream(db.database);
  const { client, accountId, studio } = upstream;
  await ask(client, accountId);
  await client[Symbol.asyncDispose]();
  const { version } = await rowOf(accountId);
  await db.database.rows(
    `update connections set refresh_owner = 'dead', refresh_lease_until = clock() - interval '1 second'
      where account_id = $1`,
    [accountId],
  );
  await using _restarted = clientOf(db.database, studio.url);
  await until('the new tokens', async () => (await rowOf(accountId)).version !== version);
  const row = await rowOf(accountId);
  assert.deepEqual([row.version, row.refresh_owner, row.status], [version + 1, null, 'live']);
});

test('a client that stops waits for no refresh that was taken up again', async () => {
  await using upstream = await startUpstream(db.database, {
    crashPoint: () => new Promise<void>(() => {}),
  });
  const { client, accountId } = upstream;
  await db.database.rows(
    `update connections set refresh_owner = 'dead', refresh_lease_until = clock() - interval '1 second'
      where account_id = $1`,
    [accountId],
  );
  await until('the refresh', () => refreshes(upstream) > 0);
  assert.equal(refreshes(upstream), 1, 'the loop of the one client took it up, and hangs');
  const ended = client[Symbol.asyncDispose]().then(() => 'ended');
  assert.equal(await Promise.race([ended, sleep(2_000, 'hangs', { ref: false })]), 'ended');
});

test('a process that wakes after its lease writes nothing', async () => {
  let wake = () => {};
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let sleeping = 0;
  await using upstream = await startUpstream(db.database, {
    crashPoint: () => {
      return sleeping++ === 0 ? asleep : undefined;
    },
  });
  const { client, accountId, studio } = upstream;
  const late = ask(client, accountId);
  await until('the refresh', () => sleeping > 0);
  await db.database.rows(
    `update connections set refresh_lease_until = clock() - interval '1 second' where account_id = $1`,
    [accountId],
  );
  await using other = clientOf(db.database, studio.url);
  await ask(other, accountId);
  const kept = await rowOf(accountId);
  wake();
  await late;
  assert.deepEqual(await rowOf(accountId), kept);
  assert.equal(kept.status, 'live');
});

test('an ended session is connection_expired without another word to the studio, until it is connected anew', async () => {
  await using upstream = await startUpstream(db.database);
  const { client, accountId, studio } = upstream;
  await ask(client, accountId);
  studio.endSessions();
  assert.equal(await kindOf(ask(client, accountId)), 'connection_expired');
  assert.equal((await rowOf(accountId)).status, 'ended');
  const seen = studio.seen.length;
  assert.equal(await kindOf(ask(client, accountId)), 'connection_expired');
  assert.equal(studio.seen.length, seen);
  const again = await connect(db.database, studio);
  assert.equal(again.accountId, accountId);
  assert.equal(await kindOf(ask(client, accountId)), 'fine');
});

test('a process with an old token learns that the newer one was revoked too', async () => {
  await using upstream = await startUpstream(db.database);
  const { client, accountId, studio } = upstream;
  await ask(client, accountId);
  await using other = clientOf(db.database, studio.url);
  studio.expireAccessTokens();
  await ask(other, accountId);
  studio.endSessions();
  assert.equal(await kindOf(ask(client, accountId)), 'connection_expired');
});

test('a refresh that cannot reach the studio ends no session', async () => {
  await using upstream = await startUpstream(db.database);
  const { client, accountId, studio } = upstream;
  const failures = [
    { status: 503, text: '' },
    { status: 500, text: '<html>' },
    { status: 400, json: { error: 'invalid_request' } },
    { status: 401, json: { error: 'invalid_client' } },
    { json: { access_token: 'a', token_type: 'Bearer' } },
    { json: { access_token: 'a\nb', token_type: 'Bearer', expires_in: 900 } },
  ];
  for (const failure of failures) {
    studio.scriptOnce('token', failure);
    assert.match(await kindOf(ask(client, accountId)), /unavailable|nonsense/);
    assert.equal((await rowOf(accountId)).status, 'live');
  }
  assert.equal(await kindOf(ask(client, accountId)), 'fine');
});

test('a studio that lets a token be used for long enough is asked again when it runs out', async () => {
  await using upstream = await startUpstream(db.database);
  const { client, accountId, studio } = upstream;
  await ask(client, accountId);
  await moveClock(db.database, 880);
  await using other = clientOf(db.database, studio.url);
  await ask(other, accountId);
  await moveClock(db.database, 0);
  assert.equal(refreshes(upstream), 2);
});

test('another studio at the same address is sent no token', async () => {
  await using upstream = await startUpstream(db.database);
  const { client, accountId, studio } = upstream;
  await ask(client, accountId);
  const own = studio.studioId;
  studio.studioId = 'std_other';
  studio.expireAccessTokens();
  assert.equal(await kindOf(ask(client, accountId)), 'connection_expired');
  await using other = clientOf(db.database, studio.url);
  const seen = studio.seen.length;
  assert.equal(await kindOf(ask(other, accountId)), 'connection_expired');
  assert.ok(studio.seen.slice(seen).every(({ authorization }) => authorization === undefined));
  studio.studioId = own;
  assert.equal(await kindOf(ask(client, accountId)), 'fine');
});

test('an issuer or a token endpoint at a foreign address is nonsense', async () => {
  await using upstream = await startUpstream(db.database);
  const { accountId, studio } = upstream;
  await using client = clientOf(db.database, studio.url);
  studio.script('getMetadata', {
    json: { studio_id: studio.studioId, issuer: 'http://elsewhere.example/oidc', version: '1' },
  });
  assert.equal(await kindOf(ask(client, accountId)), 'nonsense');
});

test('a token endpoint that hangs for one account keeps no other abandoned refresh waiting', async () => {
  await using upstream = await startUpstream(db.database);
  const { studio } = upstream;
  for (const id of ['acc_b', 'acc_c', 'acc_d']) {
    studio.account.id = id;
    await connect(db.database, studio);
  }
  await db.database.rows(
    `update connections c set refresh_owner = 'dead', refresh_lease_until = clock() - interval '1 second'
       from accounts a where a.id = c.account_id and a.studio_id = $1`,
    [studio.studioId],
  );
  studio.script('token', () => undefined);
  const began = performance.now();
  await using _other = clientOf(db.database, studio.url);
  await until('four refreshes', () => refreshes(upstream) >= 4);
  // The first of them times out after 4 s.
  assert.equal(refreshes(upstream), 4);
  assert.ok(performance.now() - began < 3_900);
  studio.script('token', undefined);
});

test('a call that is given up while it waits for a token ends at once', async () => {
  await using upstream = await startUpstream(db.database);
  upstream.studio.script('token', () => undefined);
  const began = performance.now();
  const signal = AbortSignal.timeout(100);
  const asked = upstream.client.call('getBalance', { accountId: upstream.accountId, signal });
  assert.equal(await kindOf(asked), 'unavailable');
  assert.ok(performance.now() - began < 3_000);
});
