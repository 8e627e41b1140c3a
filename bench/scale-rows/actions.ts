import type { Database } from '@renderkit/server-kit/db/database.ts';
import { readSpend } from '@renderkit/service/budgets/queries.ts';
import { listRows } from '@renderkit/service/generations/reads/list-console-rows.ts';
import { createOutcomes } from '@renderkit/service/generations/reads/outcomes.ts';
import { keptFor } from '@renderkit/service/retention/cleaner.ts';
import { removeOutdated } from '@renderkit/service/retention/store.ts';
import { claimDeliveries, selectDeliveries } from '@renderkit/service/webhooks/deliveries/store.ts';
import { insertQueued } from '../size/rows.ts';
import { queueTurn } from '../size/queue-turn.ts';
import { largestAccount, quietAccount, usualAccount } from './fill.ts';

/** A timed action. Returns how long it took, in milliseconds, and leaves the database as it was. */
export type Action = (database: Database) => Promise<number>;

const waitingGenerations = 1_000;
const dueDeliveries = 1_000;
const page = { offset: 0, limit: 20 };
const deepPage = { offset: 380, limit: 20 };
const deliverySlots = 50;
/** Few, so that even the small database has enough to remove in all rounds. */
const removedAtOnce = { deliveries: 5, events: 1 };

/** Adds the same work to every database, whatever its size: waiting jobs of an account, and due deliveries. */
export async function addWork(database: Database): Promise<void> {
  const [row] = await database.rows<{ waiting: number }>(
    `select count(*) as waiting from generations where status = 'queued'`,
  );
  if (row !== undefined && row.waiting >= waitingGenerations) return;
  await insertQueued(database, { accountId: usualAccount, count: waitingGenerations });
  await database.rows(
    `with newest as (
       -- The same hundred accounts everywhere.
       select d.id, d.endpoint_id from generate_series(0, 99) n
        cross join lateral (select id, endpoint_id from deliveries
                             where account_id = 'acc_01' || lpad(to_hex(n), 24, '0') and completed_at is not null
                             order by created_at desc, id desc limit $1::int / 100) d
     ), pending as (
       update deliveries d set status = 'pending', completed_at = null, given_up = null from newest where newest.id = d.id
       returning d.id, d.endpoint_id
     ), queued as (
       insert into delivery_queue (delivery_id, endpoint_id, ping, scheduled_at, claim_at)
       select id, endpoint_id, false, clock(), clock() from pending
     )
     update endpoint_turns set next_due = clock() where endpoint_id in (select endpoint_id from pending)`,
    [dueDeliveries],
  );
  await database.rows('vacuum (analyze) generations, deliveries, delivery_queue, endpoint_turns, accounts');
}

/** Returns all measured actions, by name. */
export function actionsOf(): Record<string, Action> {
  return { ...lists, ...consolePages, ...claims, ...cleaner };
}

const lists: Record<string, Action> = {
  'list, page 1': (database) => timed(() => listRows(database, { accountId: usualAccount, ...page })),
  'list, page 1 of the largest account': (database) =>
    timed(() => listRows(database, { accountId: largestAccount, ...page })),
  'list, page 20 of the largest account': (database) =>
    timed(() => listRows(database, { accountId: largestAccount, ...deepPage })),
  'list, succeeded of the largest account': (database) =>
    timed(() => listRows(database, { accountId: largestAccount, status: 'succeeded', ...page })),
};

const consolePages: Record<string, Action> = {
  'console, spend of 30 days': (database) => timed(() => readSpend(database, usualAccount, 30)),
  'console, outcomes of 30 days': async (database) => {
    const days = Array.from({ length: 30 }, (_, n) =>
      new Date(Date.now() - (29 - n) * 86_400_000).toISOString().slice(0, 10),
    );
    // A new instance each time, so that nothing is cached.
    return timed(() => createOutcomes(database)(usualAccount, days, days.at(-1) as string));
  },
  'console, deliveries': (database) =>
    timed(() => selectDeliveries(database, { accountId: usualAccount, ...page })),
  'console, failed deliveries': (database) =>
    timed(() => selectDeliveries(database, { accountId: usualAccount, status: 'failed', ...page })),
  'console, search for a rare word': (database) =>
    timed(() => listRows(database, { accountId: quietAccount, search: 'word1234', ...page })),
  'console, search for a word of all': (database) =>
    timed(() => listRows(database, { accountId: largestAccount, search: 'word', ...page })),
};

const claims: Record<string, Action> = {
  'claim of generations': async (database) => {
    const { claim } = await queueTurn(database, usualAccount);
    return claim[0] as number;
  },
  'claim of deliveries': async (database) => {
    const begin = performance.now();
    const claimed = await claimDeliveries(database, {
      owner: 'svc_bench',
      leaseMs: 60_000,
      slots: deliverySlots,
      failingSlots: 0,
      several: true,
    });
    const took = performance.now() - begin;
    if (claimed.length === 0) throw new Error('no delivery could be claimed');
    const ids = claimed.map(({ deliveryId }) => deliveryId);
    await database.rows(
      `with freed as (
         update delivery_queue set lease_owner = null, lease_until = null, claimed_at = null, claimed_number = null
          where delivery_id = any ($1) returning endpoint_id
       )
       update endpoint_turns set leases = '{}', next_due = clock() where endpoint_id in (select endpoint_id from freed)`,
      [ids],
    );
    return took;
  },
};

const cleaner: Record<string, Action> = {
  'cleaner, nothing to remove': (database) =>
    timed(async () => {
      for (const table of ['delivery_attempts', 'account_events', 'sessions'] as const)
        await removeOutdated(database, table, { age: keptFor[table], atMost: 1_000 });
    }),
  'cleaner, 5 deliveries': (database) => timed(() => removeSome(database, 'deliveries')),
  'cleaner, an event and its deliveries': (database) => timed(() => removeSome(database, 'events')),
};

async function removeSome(database: Database, table: keyof typeof removedAtOnce): Promise<void> {
  const atMost = removedAtOnce[table];
  const removed = await removeOutdated(database, table, { age: keptFor[table], atMost });
  if (removed !== atMost) throw new Error(`${removed} ${table} were left to remove`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
