import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { GenerationStatus } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { ComposedEvent } from '../../webhooks/events/compose-event.ts';
import { mayTransition } from './status.ts';

/**
 * SQL: a recursive common table expression `waiting (account_id)` with the accounts that have waiting generations, and
 * one null. It goes along the index from account to account, however many generations wait in each.
 */
export const accountsThatWait = `waiting as (
       (select account_id from generations where status = 'queued' and not holds_slot
         order by account_id limit 1)
       union all
       select (select g.account_id from generations g
                where g.status = 'queued' and not g.holds_slot and g.account_id > w.account_id
                order by g.account_id limit 1)
         from waiting w where w.account_id is not null
     )`;

/** A change of one generation's status. Fields that are left out stay unchanged. */
export type Transition = {
  id: string;
  accountId: string;
  from: GenerationStatus;
  to: GenerationStatus;
  /** Required attempt of the generation. Left out: any attempt. */
  attempt?: number;
  /** Requires that no process has claimed the generation and that no submit was sent. */
  untouched?: boolean;
  /** The time of the transition, in the database's text. Left out: the time of the statement. */
  at?: string;
  promptId?: string;
  projectId?: string;
  chargeLedgerSeq?: number;
  /** JSON text. */
  outputs?: string;
  /** JSON text: how each output was made, if the studio reports it. */
  provenance?: string;
  error?: { code: string; message: string };
  event?: ComposedEvent;
  /** The generation's text for clients after the transition, if the caller has it. */
  text?: string;
};

export type Transitioned = {
  id: string;
  account_id: string;
  lane: Lane;
  to_status: GenerationStatus;
  /** Whether the given watcher reads the feed of its account. */
  watching: boolean;
  /** How many deliveries of its event are due at once. */
  deliveries: number;
  /** The `text` of the transition. */
  text: string | undefined;
};

/**
 * The process that reads the feeds of accounts with changed jobs, and the cursors up to which these transitions apply
 * the feeds.
 */
export type Watch = {
  watcher: string;
  leaseMs: number;
  cursors?: readonly { accountId: string; cursor: number }[];
};

/**
 * Makes the transitions whose generation is still in the state that the caller saw, and returns them. This is the only
 * writer of `status`. One transaction under the accounts' locks also changes money, counters, budgets, events and
 * watches.
 */
export async function transitionGenerations(
  database: Pick<Database, 'rows'>,
  transitions: readonly Transition[],
  watch?: Watch,
): Promise<Transitioned[]> {
  for (const { id, from, to } of transitions)
    if (!mayTransition(from, to)) throw new Error(`generation ${id} may not go from ${from} to ${to}`);
  const cursors = watch?.cursors ?? [];
  if (transitions.length === 0 && cursors.length === 0) return [];
  const rows = await database.rows<Omit<Transitioned, 'text'>>(
    `select id, account_id, lane, to_status, watching, deliveries
       from move_generations($1::json, $2::json, $3, $4 * interval '1 millisecond')`,
    [
      JSON.stringify(transitions.map(transitionRecord)),
      cursors.length === 0
        ? null
        : JSON.stringify(cursors.map(({ accountId, cursor }) => ({ account_id: accountId, cursor }))),
      watch?.watcher ?? null,
      watch?.leaseMs ?? 0,
    ],
    'generations_move',
  );
  const texts = new Map(transitions.map(({ id, text }) => [id, text]));
  return rows.map((row) => ({ ...row, text: texts.get(row.id) }));
}

function transitionRecord(transition: Transition) {
  return {
    id: transition.id,
    account_id: transition.accountId,
    from_status: transition.from,
    to_status: transition.to,
    attempt: transition.attempt,
    untouched: transition.untouched,
    at: transition.at,
    prompt_id: transition.promptId,
    project_id: transition.projectId,
    charge_ledger_seq: transition.chargeLedgerSeq,
    outputs: transition.outputs,
    provenance: transition.provenance,
    error_code: transition.error?.code,
    error_message: transition.error?.message,
    event_id: transition.event?.id,
    event_type: transition.event?.type,
    event_body: transition.event?.body,
  };
}
