import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cost } from '@renderkit/engine-kit/route.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase, moveClock } from '@renderkit/server-kit/testing/database.ts';
import { type Claim, claimRender, settleCost } from '@renderkit/studio/backends/claim-queries.ts';
import type { RenderShape } from '@renderkit/studio/backends/render-shape.ts';
import {
  type BackendRow,
  imageShape,
  insertAccount,
  insertBackend,
  insertFits,
  insertModel,
  insertRender,
} from './claim-rows.ts';

function claim(database: Database, backend = 'fal'): Promise<Claim | undefined> {
  return claimRender(database, { backend, worker: 'wrk', leaseMs: 30_000, lanes: null });
}

/** Opens a database with a paid backend and one model, whose provider charges `cost`. */
async function open(
  cost: Cost,
  backend: BackendRow = {},
  maxPerJob = 4,
): Promise<AsyncDisposable & { database: Database }> {
  const opened = await createTestDatabase('studio', { poolSize: 25 });
  const { database } = opened;
  await insertAccount(database, 'acc');
  await insertModel(database, 'flux', [{ engine: 'fal', cost, maxPerJob }]);
  await insertBackend(database, 'fal', { engine: 'fal', slots: 50, ...backend });
  await insertFits(database, 'fal', 'flux');
  return opened;
}

async function end(database: Database, { id, render_id }: Claim, actual: number | null): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.rows(`update submissions set state = 'done', ended_at = clock() where id = $1`, [id]);
    await settleCost(transaction, id, actual);
    await transaction.rows(
      `update renders set outputs_done = outputs_done + 1,
         status = case when outputs_done + 1 < expected_outputs then 'queued' else 'succeeded' end where id = $1`,
      [render_id],
    );
  });
}

async function costsOf(database: Database): Promise<{ reserved: number; spent: number; jobs: number }[]> {
  return database.rows('select reserved, spent, jobs from provider_costs order by day');
}

test('what a provider asks for follows the request, rounded up', async () => {
  await using opened = await open({ currency: 'USD' });
  const costOf = async (
    cost: Omit<Cost, 'currency'>,
    shape: Partial<RenderShape>,
    outputs: number,
    jobs: number,
  ) => {
    const [row] = await opened.database.rows<{ cost: number }>('select route_cost($1, $2, $3, $4) as cost', [
      JSON.stringify({ currency: 'USD', ...cost }),
      JSON.stringify({ ...imageShape, ...shape }),
      outputs,
      jobs,
    ]);
    return row?.cost;
  };
  const byQuality = { by: 'options.quality', values: { low: 0.016, high: 0.25 } } as const;
  assert.equal(await costOf({}, {}, 4, 1), 0);
  assert.equal(await costOf({ per_render: 0.1, per_output: 0.02 }, {}, 4, 2), 0.28);
  assert.equal(await costOf({ per_megapixel: 0.025 }, { pixels: 1_000_001 }, 2, 1), 0.1);
  assert.equal(await costOf({ per_second: 0.05 }, { seconds: 4.2 }, 1, 1), 0.25);
  assert.equal(await costOf({ per_output: byQuality }, { options: { quality: 'low' } }, 1, 1), 0.016);
  assert.equal(
    await costOf({ per_output: byQuality }, { options: { quality: 'new' } }, 1, 1),
    0.25,
    'the dearest',
  );
  assert.equal(
    await costOf({ per_output: { by: 'mode', values: { inpaint: 1 } } }, { mode: 'inpaint' }, 3, 1),
    3,
  );
});

test('a render goes to no provider that costs more than its account pays, unless losses are allowed', async () => {
  await using opened = await open({ currency: 'USD', per_output: 0.03 });
  const { database } = opened;
  await insertRender(database, 'cheap', 'flux', { waited: 9, costMillicredits: 2_999 });
  await insertRender(database, 'enough', 'flux', { waited: 5, costMillicredits: 3_000 });
  await insertRender(database, 'two', 'flux', { waited: 3, outputs: 2, costMillicredits: 5_999 });
  assert.equal((await claim(database))?.render_id, 'enough');
  assert.equal(await claim(database), undefined);
  await database.rows('update backends set allow_loss = true');
  assert.equal((await claim(database))?.render_id, 'cheap');
});

test('money of another currency than the credit closes the route', async () => {
  await using opened = await open({ currency: 'EUR', per_output: 0.0001 });
  const { database } = opened;
  await insertRender(database, 'r', 'flux');
  assert.equal(await claim(database), undefined);
  await database.rows(`update credit_value set currency = 'EUR'`);
  assert.equal((await claim(database))?.render_id, 'r');
});

test('money that was spent on a render before counts against its price', async () => {
  await using opened = await open({ currency: 'USD', per_output: 0.03 }, {}, 1);
  const { database } = opened;
  await insertRender(database, 'r', 'flux', { outputs: 2, costMillicredits: 6_000 });
  await end(database, (await claim(database)) as Claim, 0.031);
  assert.equal(await claim(database), undefined, '0.031 spent and 0.03 to come are more than 0.06');
  await database.rows(`update submissions set cost = 0.03`);
  assert.equal((await claim(database))?.first_output, 1);
});

test('of two dozen claimers at once no more get money than the day has', async () => {
  await using opened = await open(
    { currency: 'USD', per_output: 0.03 },
    { maxCostPerDay: 0.1, currency: 'USD' },
  );
  const { database } = opened;
  for (let i = 0; i < 24; i++) await insertRender(database, `r${i}`, 'flux');
  const taken = await Promise.all(Array.from({ length: 24 }, () => claim(database)));
  assert.equal(taken.filter((one) => one !== undefined).length, 3);
  assert.deepEqual(await costsOf(database), [{ reserved: 0.09, spent: 0, jobs: 3 }]);
});

test('a bill corrects what was reserved, and the next day begins anew', async () => {
  await using opened = await open(
    { currency: 'USD', per_output: 0.03 },
    { maxCostPerDay: 0.06, currency: 'USD' },
  );
  const { database } = opened;
  for (let i = 0; i < 6; i++) await insertRender(database, `r${i}`, 'flux');
  const [first, second] = [await claim(database), await claim(database)];
  assert.equal(await claim(database), undefined);
  await end(database, first as Claim, 0);
  await end(database, second as Claim, null);
  assert.deepEqual(await costsOf(database), [{ reserved: 0, spent: 0.03, jobs: 2 }]);
  assert.ok(await claim(database), 'what was not spent is there again');
  assert.equal(await claim(database), undefined);
  await moveClock(database, 24 * 60 * 60);
  assert.ok(await claim(database));
  assert.equal((await costsOf(database)).length, 2);
});
