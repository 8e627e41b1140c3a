import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, moveClock, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { type ScriptedRenders, scriptRenders } from '../../../test/scripted-renders.ts';
import { startUpstream, type Upstream } from '../../../test/upstream-fixture.ts';
import { claimGenerations, releaseGenerations, saveLimits } from '../dispatch/store.ts';
import { readGenerations } from '../reads/store.ts';
import { giveUpTooOld } from '../settle/give-up-queued.ts';
import { Settlement } from '../settle/settlement.ts';
import { transitionGenerations } from '../settle/transition-store.ts';
import { limitsOf, seedKey, type Seeded, seedQueue } from '../testing/seed.ts';
import { createAskRenders } from './ask-renders.ts';
import { askAboutSilent, type ReconcileOptions } from './reconcile.ts';

const minute = 60;
const hour = 60 * minute;

let db: TestDatabase;
let upstream: Upstream;
let renders: ScriptedRenders;
let account: Seeded;
let options: ReconcileOptions;
before(async () => {
  db = await createTestDatabase('service');
  upstream = await startUpstream(db.database);
  renders = scriptRenders(upstream.studio);
  const { accountId } = upstream;
  const keyId = await seedKey(db.database, accountId);
  account = { accountId, keyId, studioAccountId: upstream.studio.account.id };
  await saveLimits(db.database, accountId, limitsOf(100));
  const common = { database: db.database, studioClient: upstream.client };
  const settlement = new Settlement({
    ...common,
    owner: 'svc_test',
    leaseMs: 10_000,
    announcer: { announce: () => undefined },
  });
  const askRenders = createAskRenders({ ...common, settlement });
  options = { ...common, settlement, askRenders, log: createLogger({ part: 'test', level: 'silent' }) };
});
after(async () => {
  await upstream[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});
beforeEach(() => moveClock(db.database, 0));

async function stateOf(id: string): Promise<string> {
  const [row] = await readGenerations(db.database, [{ id, accountId: account.accountId }]);
  return row?.error_code == null ? String(row?.status) : `${row.status} ${row.error_code}`;
}

async function claimed(unsent?: boolean): Promise<string> {
  await seedQueue(db.database, account, 1);
  const { claims } = await claimGenerations(db.database, {
    accountIds: [account.accountId],
    owner: 'svc_test',
    leaseMs: 10_000,
    skipLocked: false,
    atMost: 1_000,
  });
  const [claim] = claims;
  assert.ok(claim);
  if (unsent !== undefined) await releaseGenerations(db.database, [{ ...claim, unsent }]);
  await db.database.rows('update accounts set dispatch_after = null');
  return claim.id;
}

async function running(kind: 'image' | 'video' = 'image'): Promise<string> {
  const id = await claimed();
  await transitionGenerations(db.database, [
    { id, accountId: account.accountId, from: 'queued', to: 'running', chargeLedgerSeq: 4 },
  ]);
  await db.database.rows('update generations set kind = $2 where id = $1', [id, kind]);
  return id;
}

/** Makes the studio know a render that the test did not submit. */
function known(id: string): void {
  renders.renders.set(id, {
    token: id,
    render_id: 'rnd_1',
    kind: 'image',
    status: 'running',
    prompt_id: 'prm_1',
    project_id: 'prj_1',
    cost_millicredits: 4_000,
    ledger_seq: 4,
    expected_outputs: 1,
    outputs: [],
    error: null,
    accepted_at: new Date().toISOString(),
    completed_at: null,
  });
}

test('what was queued for a day and never sent fails, a minute earlier it does not', async () => {
  const [id = ''] = await seedQueue(db.database, account, 1);
  await moveClock(db.database, 24 * hour - minute);
  await giveUpTooOld(options);
  assert.equal(await stateOf(id), 'queued');
  await moveClock(db.database, 24 * hour + minute);
  await giveUpTooOld(options);
  assert.equal(await stateOf(id), 'failed upstream_unavailable');
  assert.deepEqual([...renders.tombstoned], [], 'the studio need not be asked');
  const events = await db.database.rows('select type from events where subject_id = $1', [id]);
  assert.deepEqual(events, [{ type: 'generation.failed' }]);
});

test('what may have been sent is tombstoned first, and adopted where the studio knows it', async () => {
  const [taken, leased, lost] = [await claimed(), await claimed(), await claimed(false)];
  known(taken);
  await moveClock(db.database, 24 * hour + minute);
  await giveUpTooOld(options);
  assert.equal(await stateOf(lost), 'failed upstream_unavailable');
  assert.equal(await stateOf(leased), 'failed upstream_unavailable');
  assert.equal(await stateOf(taken), 'running');
  assert.deepEqual([...renders.tombstoned].sort(), [lost, leased].sort());
});

test('while the studio cannot be asked nothing that may have been sent is given up', async () => {
  const id = await claimed(false);
  upstream.studio.script('tombstoneRender', { status: 503, json: { code: 'maintenance', message: 'away' } });
  await moveClock(db.database, 24 * hour + minute);
  await giveUpTooOld(options);
  assert.equal(await stateOf(id), 'queued');
  renders = scriptRenders(upstream.studio);
});

test('a running job that is not heard of is asked for by its token, once a minute', async () => {
  const id = await running();
  known(id);
  renders.finish(id);
  await moveClock(db.database, 50);
  await askAboutSilent(options);
  assert.equal(await stateOf(id), 'running');
  await moveClock(db.database, 70);
  await askAboutSilent(options);
  assert.equal(await stateOf(id), 'succeeded');
});

test('a job past the deadline of its kind is lost where the studio does not know it, and waited for where it does', async () => {
  const [image, video, kept] = [await running(), await running('video'), await running()];
  known(kept);
  await moveClock(db.database, hour - 2 * minute);
  await askAboutSilent(options);
  assert.equal(await stateOf(image), 'running');
  await moveClock(db.database, hour + 2 * minute);
  await askAboutSilent(options);
  assert.equal(await stateOf(image), 'failed upstream_unavailable');
  assert.equal(await stateOf(video), 'running');
  assert.equal(await stateOf(kept), 'running');
  assert.ok(renders.tombstoned.has(image), 'it will never be rendered after that');
  await moveClock(db.database, 6 * hour + 4 * minute);
  await askAboutSilent(options);
  assert.equal(await stateOf(video), 'failed upstream_unavailable');
  assert.equal(await stateOf(kept), 'running');
});
