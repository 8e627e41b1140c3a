import type { Database } from '@renderkit/server-kit/db/database.ts';

export type TakenCall =
  | { outcome: 'new' | 'adopted'; id: string; request: unknown }
  | { outcome: 'held'; id: null; request: null };

/** Runs take_facade_call.sql, which says what the outcomes are. Times are whole seconds. */
export async function takeFacadeCall(
  database: Database,
  call: {
    id: string;
    accountId: string;
    /** SHA-256 in hexadecimal. */
    fingerprint: string;
    request: object;
    holder: string;
    leaseSeconds: number;
    repeats: boolean;
    unsaidSeconds: number;
    saidSeconds: number;
    giveUp: boolean;
  },
): Promise<TakenCall> {
  const [row] = await database.rows<TakenCall>(
    `select outcome, id, request from take_facade_call($1, $2, decode($3, 'hex'), $4, $5, make_interval(secs => $6), $7,
      make_interval(secs => $8), make_interval(secs => $9), $10)`,
    [
      call.id,
      call.accountId,
      call.fingerprint,
      JSON.stringify(call.request),
      call.holder,
      call.leaseSeconds,
      call.repeats,
      call.unsaidSeconds,
      call.saidSeconds,
      call.giveUp,
    ],
    'take_facade_call',
  );
  if (row === undefined) throw new Error('take_facade_call answers with one row');
  return row;
}

/** Holders of this process that still live keep what they hold. */
export async function renewHolders(
  database: Database,
  { ids, leaseMs }: { ids: string[]; leaseMs: number },
): Promise<void> {
  await database.execute(
    `update facade_calls set held_until = clock() + make_interval(secs => $2)
      where holder = any ($1) and held_until >= clock()`,
    [ids, leaseMs / 1_000],
    'renew_facade_holders',
  );
}

/** Its client has the answer. */
export async function recordDelivered(database: Database, { id, holder }: Held): Promise<void> {
  await database.execute(
    `update facade_calls set holder = null, held_until = null, delivered_at = clock()
      where id = $1 and holder = $2`,
    [id, holder],
    'deliver_facade_call',
  );
}

/** Its client has gone without the answer, and may come back for it. */
export async function letGo(database: Database, { id, holder }: Held): Promise<void> {
  await database.execute(
    'update facade_calls set holder = null, held_until = null where id = $1 and holder = $2',
    [id, holder],
    'let_go_facade_call',
  );
}

/** Nothing was made of it, so that the next request begins anew. */
export async function forgetCall(database: Database, { id, holder }: Held): Promise<void> {
  await database.execute(
    'delete from facade_calls where id = $1 and holder = $2',
    [id, holder],
    'forget_facade_call',
  );
}

/** Whether its client is still away. */
export async function isAbandoned(database: Database, id: string): Promise<boolean> {
  const rows = await database.rows<{ id: string }>(
    `select id from facade_calls
      where id = $1 and delivered_at is null and (holder is null or held_until < clock())`,
    [id],
    'abandoned_facade_call',
  );
  return rows.length > 0;
}

type Held = { id: string; holder: string };
