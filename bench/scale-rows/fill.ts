import type { Database } from '@renderkit/server-kit/db/database.ts';
import { insertAttempts, insertEnded, insertOwners } from './statements.ts';

/** The account of a tenth of all generations. The others share the rest equally. */
export const largestAccount = accountId(0);
/** An account with an equal share, in which jobs wait and are claimed. */
export const usualAccount = accountId(1);
/** An account with an equal share, in which nothing happens. */
export const quietAccount = accountId(2);
const generationsPerAccount = 100;
/** Endpoints of each account, and so deliveries of each generation. */
const endpointsPerAccount = 5;
/** Rows are written in pieces of this size, so that no statement is long and errors show early. */
const pieceRows = 100_000;

export type Amounts = { generations: number; accounts: number; deliveries: number };

/** Returns the amounts of rows that belong to so many generations. */
export function amountsOf(generations: number): Amounts {
  return {
    generations,
    accounts: Math.ceil(generations / generationsPerAccount),
    deliveries: generations * endpointsPerAccount,
  };
}

/**
 * Fills an empty database of a service as three months of use would have left it: accounts with keys and endpoints,
 * generations with their requests and events, a delivery of each event to each endpoint, attempts of the last thirty
 * days. Reports progress with `say`.
 */
export async function fillInstallation(
  database: Database,
  generations: number,
  say: (text: string) => void,
): Promise<void> {
  const amounts = amountsOf(generations);
  await database.rows(insertOwners, [amounts.accounts, endpointsPerAccount]);
  const restore = await dropIndexes(database);
  for (let from = 1; from <= generations; from += pieceRows) {
    const to = Math.min(generations, from + pieceRows - 1);
    await writePiece(database, { ...amounts, from, to });
    say(`  ${to.toLocaleString('en-GB')} of ${generations.toLocaleString('en-GB')} generations`);
  }
  await restore(say);
  await database.rows('vacuum (analyze, freeze)');
  // Finishes the disk writes before anything is timed.
  await database.rows('checkpoint');
}

/** Returns the id that the fill gave to an account, counted from 0. */
export function accountId(n: number): string {
  return `acc_01${n.toString(16).padStart(24, '0')}`;
}

async function writePiece(database: Database, piece: Amounts & { from: number; to: number }): Promise<void> {
  await database.transaction(async (transaction) => {
    // Skips the checks of foreign keys, which hold by construction.
    await transaction.execute('set local session_replication_role = replica');
    await transaction.execute('set local synchronous_commit = off');
    const { from, to, generations, accounts } = piece;
    await transaction.execute(insertEnded, [from, to, generations, accounts, endpointsPerAccount]);
    await transaction.execute(insertAttempts, [from, to, generations, endpointsPerAccount]);
  });
}

const filled = [
  'generations',
  'generation_requests',
  'events',
  'deliveries',
  'delivery_attempts',
  'account_events',
];

/**
 * Drops the indexes and returns a function that builds them again. Building them at the end takes a fraction of the
 * time of filling them row by row.
 */
async function dropIndexes(database: Database): Promise<(say: (text: string) => void) => Promise<void>> {
  const constraints = await database.rows<{ table: string; name: string; definition: string }>(
    `select c.conrelid::regclass::text as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
       from pg_constraint c where c.contype in ('u', 'p', 'f') and c.conrelid = any ($1::text[]::regclass[])
         or c.contype = 'f' and c.confrelid = any ($1::text[]::regclass[])
      order by c.contype = 'f', c.conname`,
    [filled],
  );
  const indexes = await database.rows<{ name: string; definition: string }>(
    `select i.indexname as name, i.indexdef as definition from pg_indexes i
      where i.tablename = any ($1) and not exists (select from pg_constraint c where c.conname = i.indexname)`,
    [filled],
  );
  for (const { table, name } of constraints.toReversed())
    await database.rows(`alter table ${table} drop constraint ${name}`);
  for (const { name } of indexes) await database.rows(`drop index ${name}`);
  return async (say) => {
    for (const { name, definition } of indexes) {
      await database.rows(definition);
      say(`  ${name}`);
    }
    for (const { table, name, definition } of constraints) {
      await database.rows(`alter table ${table} add constraint ${name} ${definition}`);
      say(`  ${name}`);
    }
  };
}
