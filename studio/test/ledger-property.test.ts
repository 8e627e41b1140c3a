import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, moveClock, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { checkLedger, createAccount, setAccount, showAccount } from '@renderkit/studio/operator.ts';
import fc from 'fast-check';

let db: TestDatabase;
before(async () => (db = await createTestDatabase('studio')));
after(async () => db[Symbol.asyncDispose]());

const allowance = 50_000;
const daySeconds = 86_400;

type Model = {
  monthly: number;
  lifetime: number;
  /** `now`: the seconds by which the clock was moved. `renewals`: how many renewals were made. */
  now: number;
  renewals: number;
  charges: { token: string; monthly: number; lifetime: number; renewals: number; refunded: boolean }[];
};

type Step =
  | { do: 'charge'; cost: number }
  | { do: 'refund'; which: number }
  | { do: 'wait'; days: number }
  | { do: 'set'; credits: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('charge' as const), cost: fc.integer({ min: 1, max: 40_000 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('refund' as const), which: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 70 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('set' as const), credits: fc.integer({ min: 0, max: 200_000 }) }),
  },
);

/** Applies a due monthly renewal to the model, as the next movement of money does. `due`: whether a renewal is due. */
function renew(model: Model, due: boolean): void {
  if (!due) return;
  model.monthly = allowance;
  model.renewals++;
}

async function isDue(id: string): Promise<boolean> {
  const [row] = await db.database.rows<{ due: boolean }>(
    'select next_refill_at <= clock() as due from accounts where id = $1',
    [id],
  );
  return row?.due === true;
}

async function charge(id: string, token: string, cost: number): Promise<number | null> {
  return db.database.transaction(async (transaction) => {
    await transaction.execute('select refill($1)', [id]);
    const rows = await transaction.rows<{ seq: number | null }>('select charge($1, $2, $3) as seq', [
      id,
      token,
      cost,
    ]);
    return rows[0]?.seq ?? null;
  });
}

async function take(
  model: Model,
  account: { id: string; email: string },
  now: Step,
  at: number,
): Promise<void> {
  if (now.do === 'wait') {
    model.now += now.days * daySeconds;
    await moveClock(db.database, model.now);
    return;
  }
  renew(model, await isDue(account.id));
  if (now.do === 'charge') {
    const token = `t${at}`;
    const seq = await charge(account.id, token, now.cost);
    assert.equal(seq === null, model.monthly + model.lifetime < now.cost);
    if (seq === null) return;
    const monthly = Math.min(now.cost, model.monthly);
    model.monthly -= monthly;
    model.lifetime -= now.cost - monthly;
    model.charges.push({
      token,
      monthly,
      lifetime: now.cost - monthly,
      renewals: model.renewals,
      refunded: false,
    });
  } else if (now.do === 'refund') {
    const charged = model.charges[now.which % Math.max(1, model.charges.length)];
    await db.database.rows('select refund($1, $2)', [account.id, charged?.token ?? 'none']);
    if (charged === undefined || charged.refunded) return;
    charged.refunded = true;
    model.lifetime += charged.lifetime;
    model.monthly += charged.monthly;
    if (charged.renewals < model.renewals && model.monthly > allowance)
      model.monthly -= Math.min(charged.monthly, model.monthly - allowance);
  } else {
    await setAccount(db.database, account.email, { creditsMillicredits: now.credits });
    const difference = now.credits - model.monthly - model.lifetime;
    const toLifetime = Math.max(difference, -model.lifetime);
    model.lifetime += toLifetime;
    model.monthly += difference - toLifetime;
  }
}

test('whatever is charged, refunded, renewed and set, balances are what the ledger and a simple model say', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      await moveClock(db.database, 0);
      const email = `property${++run}@example.org`;
      const { id } = await createAccount(db.database, { email, tier: 'free' });
      const model: Model = { monthly: allowance, lifetime: 0, now: 0, renewals: 0, charges: [] };
      for (const [at, now] of steps.entries()) {
        await take(model, { id, email }, now, at);
        const { monthly_millicredits, lifetime_millicredits } = await showAccount(db.database, email);
        assert.deepEqual([monthly_millicredits, lifetime_millicredits], [model.monthly, model.lifetime]);
      }
      assert.deepEqual(await checkLedger(db.database), []);
    }),
    { numRuns: 40 },
  );
});

test('the check finds a balance that its ledger does not explain', async () => {
  const { id } = await createAccount(db.database, { email: 'wrong@example.org', tier: 'free' });
  await db.database.rows('update accounts set lifetime_millicredits = 5 where id = $1', [id]);
  const found = await checkLedger(db.database);
  assert.deepEqual(
    found.map(({ account_id, bucket, balance_millicredits }) => [account_id, bucket, balance_millicredits]),
    [[id, 'lifetime', 5]],
  );
});
