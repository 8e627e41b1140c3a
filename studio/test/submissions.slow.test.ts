import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { unlessSoaking } from '@renderkit/server-kit/testing/soak.ts';
import { ImagesCounterpart } from '@renderkit/engine-openai-images/testing/counterpart.ts';
import { listProviderCosts } from '@renderkit/studio/backends/cost-queries.ts';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import sharp from 'sharp';
import { dieAt } from './doomed-part.ts';
import { startTestStudio, type TestAccount, type TestStudio, untilFound, untilOffered } from './harness.ts';
import { breaks, type Fate, type Moment, openProtocols, points, type Protocol } from './protocols.ts';

/** One render for each protocol, each of a different account. */
type Opened = AsyncDisposable & {
  studio: TestStudio;
  protocols: readonly Protocol[];
  accounts: ReadonlyMap<string, TestAccount>;
};

async function open(only?: string[]): Promise<Opened> {
  await using owners = new AsyncDisposableStack();
  const studio = owners.use(await startTestStudio({ worker: false }));
  const { all: protocols } = owners.use(await openProtocols(studio, only));
  const accounts = new Map<string, TestAccount>();
  for (const { name, kind } of protocols) {
    const account = await studio.connect({ tier: 'pro' });
    await untilOffered(account, name);
    const asked = kind === 'video' ? ({ kind, duration_seconds: 1 } as const) : {};
    assert.equal((await account.submit(name, { ...asked, model: name })).outcome, 'accepted', name);
    accounts.set(name, account);
  }
  const owned = owners.move();
  return { studio, protocols, accounts, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const endWithinMs = 60_000;

/** Waits until all renders have ended. Skips pauses, and the time during which workers ask about unknown jobs. */
async function untilEnded({ studio, protocols }: Opened, moment: Moment): Promise<void> {
  const { database } = studio;
  const unknown = protocols.filter(({ fateAt }) => fateAt(moment) === 'unknown').map(({ name }) => name);
  const isOpen = `select from renders where status in ('queued', 'running')`;
  const deadline = performance.now() + endWithinMs;
  while ((await database.execute(isOpen)) > 0 && performance.now() < deadline) {
    await database.execute(
      `update submissions set lost_at = lost_at - interval '1 hour' where state = 'lost' and backend = any($1)`,
      [unknown],
    );
    await database.execute(`update backends set closed_until = clock() where closed_until > clock()`);
    await sleep(100);
  }
}

async function endedAs({ studio, accounts }: Opened, protocol: Protocol, moment: Moment): Promise<void> {
  const { name, outputs } = protocol;
  const fate = protocol.fateAt(moment);
  const account = accounts.get(name);
  assert.ok(account);
  const render = await account.finished(name);
  const ended = [render.status, render.error?.code, render.outputs.length];
  const entries = await showLedger(studio.database, account.email);
  const ledger = entries.map(({ kind }) => kind);
  const isUnknown = fate === 'unknown';
  assert.deepEqual(
    ended,
    isUnknown ? ['failed', 'outcome_unknown', 0] : ['succeeded', undefined, outputs],
    `${name}: ${JSON.stringify(render.error)}`,
  );
  assert.deepEqual(ledger, ['opening', 'charge', ...(isUnknown ? ['refund'] : [])], name);
  for (const { url, type } of render.outputs) {
    const answer = await fetch(url);
    assert.equal(answer.status, 200, name);
    if (type === 'image') assert.equal((await sharp(await answer.arrayBuffer()).metadata()).width, 64, name);
  }
  await wasAsked(studio, protocol, fate, moment);
  const paid = entries.reduce(
    (sum, entry) => sum - (entry.token === null ? 0 : entry.amount_millicredits),
    0,
  );
  await wasBooked(studio, protocol, fate, paid);
}

/** Compares the jobs that the counterpart was asked to make with the rows of what was sent. */
async function wasAsked(
  { database }: TestStudio,
  protocol: Protocol,
  fate: Fate,
  moment: Moment,
): Promise<void> {
  const { name, submissions } = protocol;
  const rows = await database.rows<{ state: string }>(
    'select state from submissions where backend = $1 order by created_at',
    [name],
  );
  const states = rows.map(({ state }) => state);
  const jobs = await protocol.jobs();
  const done = Array.from({ length: submissions }, () => 'done');
  if (fate === 'once') assert.deepEqual([states, jobs], [done, submissions], name);
  else if (fate === 'unknown') {
    const arrived = moment !== 'begun' && moment !== 'lost_request';
    assert.deepEqual([states, jobs], [['failed'], arrived ? 1 : 0], name);
  } else {
    const failed = states.filter((state) => state === 'failed').length;
    assert.deepEqual([states.filter((state) => state !== 'failed'), failed > 0], [done, true], name);
    assert.ok(jobs >= submissions && jobs <= submissions + failed, `${name}: ${jobs} jobs`);
  }
}

/**
 * Checks the provider's money, which was spent for results or stays reserved for unknown jobs, and what the user paid.
 */
async function wasBooked(
  { database }: TestStudio,
  protocol: Protocol,
  fate: Fate,
  paidMillicredits: number,
): Promise<void> {
  const { name, outputs, submissions, maxPerJob, perOutput } = protocol;
  const costs = await listProviderCosts(database, 1);
  const booked = costs.filter(({ backend }) => backend === name);
  if (perOutput === null) return assert.deepEqual(booked, [], name);
  // A job with an unknown outcome ends its render: no further job begins.
  const isUnknown = fate === 'unknown';
  const money = (isUnknown ? Math.min(outputs, maxPerJob) : outputs) * perOutput;
  const credits = paidMillicredits / 1_000;
  const expected = {
    ...(isUnknown ? { reserved: money, spent: 0 } : { reserved: 0, spent: money }),
    jobs: isUnknown ? 1 : submissions,
    credits,
    credits_worth: credits / 100,
  };
  assert.deepEqual(
    booked.map(({ reserved, spent, jobs, credits: paid, credits_worth }) => ({
      reserved,
      spent,
      jobs,
      credits: paid,
      credits_worth,
    })),
    [expected],
    name,
  );
}

/** Checks that there are no unknown files. */
async function keepsNothingElse({ studio, accounts }: Opened): Promise<void> {
  assert.deepEqual(await checkLedger(studio.database), []);
  const renders = await Promise.all([...accounts].map(([name, account]) => account.finished(name)));
  const assets = renders.flatMap(({ outputs }) => outputs).length;
  const folders = async () => new Set((await studio.mediaKeys()).map((key) => path.dirname(key))).size;
  for (let i = 0; i < 50 && (await folders()) > assets; i++) await sleep(50);
  assert.equal(await folders(), assets);
}

for (const point of points)
  test(
    `by every protocol, a worker killed at "${point}" has nothing made twice, and nothing is charged twice`,
    { skip: point === 'posted' ? false : unlessSoaking },
    async () => {
      await using opened = await open();
      const { studio, protocols } = opened;
      await dieAt(studio, `submission: ${point}`, protocols.length);
      // The leases would expire by themselves; this only saves time.
      await studio.database.execute('update submissions set lease_until = clock()');
      await using _worker = await studio.startWorker();
      await untilEnded(opened, point);
      for (const protocol of protocols) await endedAs(opened, protocol, point);
      await keepsNothingElse(opened);
    },
  );

test('a second job whose worker dies before its request is made, where nobody could tell whether it was sent', async () => {
  await using opened = await open(['fal', 'openai-images']);
  const { studio, protocols } = opened;
  await dieAt(studio, 'submission: ended', protocols.length);
  await studio.database.execute('update submissions set lease_until = clock()');
  await using _worker = await studio.startWorker();
  await untilEnded(opened, 'ended');
  for (const protocol of protocols) await endedAs(opened, protocol, 'ended');
  await keepsNothingElse(opened);
});

for (const mishap of breaks)
  test(
    `by every protocol, a submission under which the connection breaks (${mishap}) is made once, or refunded`,
    { skip: mishap === 'lost_answer' ? false : unlessSoaking },
    async () => {
      await using opened = await open();
      const { studio } = opened;
      const protocols = opened.protocols.filter(({ counterpart }) => counterpart !== null);
      for (const { counterpart } of protocols) {
        counterpart?.mishaps('submit', mishap);
        counterpart?.mishaps('look', { status: 500 }, 'cut_off', 'lost_answer');
      }
      await using _worker = await studio.startWorker();
      await untilEnded(opened, mishap);
      for (const protocol of protocols) await endedAs(opened, protocol, mishap);
      await keepsNothingElse(opened);
    },
  );

for (const name of ['fal', 'openai-images'])
  test(`jobs that ${name} refuses cost nothing and fail nothing, and the next one costs what it makes`, async () => {
    await using opened = await open([name]);
    const { studio, protocols, accounts } = opened;
    const [protocol] = protocols;
    const enough = { status: 429, headers: { 'retry-after': '0' }, json: {} };
    protocol?.counterpart?.mishaps('submit', ...Array.from({ length: 4 }, () => enough));
    await using _worker = await studio.startWorker();
    await untilEnded(opened, 'intended');
    assert.equal((await accounts.get(name)?.finished(name))?.status, 'succeeded');
    assert.equal(await protocol?.jobs(), 2);
    const [cost] = await listProviderCosts(studio.database, 1);
    assert.deepEqual([cost?.jobs, cost?.reserved, cost?.spent], [6, 0, 0.03]);
  });

test('a paid job whose backend a worker cannot speak to for a while is gone on with, and not bought again', async () => {
  await using opened = await open(['fal']);
  const { studio, protocols } = opened;
  const { database } = studio;
  await dieAt(studio, 'submission: sent', protocols.length);
  await database.execute('update submissions set lease_until = clock()');
  const [kept] = await database.rows<{ secret: string | null }>(
    `select secret from backends where name = 'fal'`,
  );
  // A secret encrypted with another SECRET_KEY.
  await database.execute(`update backends set secret = 'of another key' where name = 'fal'`);
  await using _worker = await studio.startWorker({ pauses: { askAgain: 20 } });
  await untilFound(database, `select from submissions where lease_until > clock()`);
  await sleep(1_000);
  await database.rows(`update backends set secret = $1 where name = 'fal'`, [kept?.secret ?? null]);
  await untilEnded(opened, 'sent');
  for (const protocol of protocols) await endedAs(opened, protocol, 'sent');
  await keepsNothingElse(opened);
});

test('a job that its provider cannot stop goes on while its backend is drained, and is not bought again', async () => {
  await using opened = await open(['openai-images']);
  const { studio, protocols, accounts } = opened;
  const { database } = studio;
  const [protocol] = protocols;
  assert.ok(protocol?.counterpart instanceof ImagesCounterpart);
  protocol.counterpart.held = true;
  await using _worker = await studio.startWorker({ pauses: { askAgain: 20 } });
  await untilFound(database, `select from submissions where state = 'sent'`);
  await database.execute(`update backends set wanted = 'draining', drain_until = clock()`);
  // The worker checks every few seconds which jobs to cancel.
  await sleep(4_000);
  await database.execute(`update backends set wanted = 'on', drain_until = null`);
  protocol.counterpart.release();
  const render = await accounts.get('openai-images')?.finished('openai-images');
  assert.deepEqual([render?.status, render?.outputs.length], ['succeeded', 3]);
  assert.equal(await protocol.jobs(), 2);
});
