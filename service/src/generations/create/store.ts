import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { NamedUpload } from '../../references/resolve-references.ts';
import { acceptedBodyEnd } from '../present.ts';

/** A create that was validated, priced and quoted. Amounts in 1/1000 credit. */
export type Create = {
  id: string;
  accountId: string;
  keyId: string;
  kind: GenerationKind;
  lane: Lane;
  model: string;
  projectId: string | null;
  costMillicredits: number;
  expectedOutputs: number;
  /** JSON text. */
  metadata: string;
  idempotencyKey: string | undefined;
  /** SHA-256 in hexadecimal; present when the key is. */
  fingerprint: string | undefined;
  /** JSON text, sent to the studio as it is. */
  renderRequest: string;
  quote: string;
  /** Uploads that the request names. */
  uploads?: readonly NamedUpload[] | undefined;
  /** JSON text: the body as it was sent. A mask that was sent as data is replaced by the id of its upload. */
  sentBody?: string;
  /** The text of the 202 up to its `created_at`. */
  bodyStart: string;
  balance: { monthly_millicredits: number; lifetime_millicredits: number; ledger_seq: number };
  /** Whether the studio was already asked about unconfirmed submits. */
  unconfirmedResolved: boolean;
};

/**
 * What accept_generations returns for one create. `amount` is the rest of the budget, or what the account can spend.
 */
export type Decision =
  | { outcome: 'accepted' | 'replay'; body: string }
  | { outcome: 'conflict' | 'unauthorized' | 'queue_full' }
  | { outcome: 'upload_gone' }
  | { outcome: 'budget_exceeded' | 'insufficient_credits' | 'short'; amount: number };

/** Decides a group of creates in one transaction. The decisions are committed when they are returned. */
export async function acceptGenerations(
  database: Database,
  creates: readonly Create[],
  queueCap: number,
): Promise<Decision[]> {
  const rows = await database.rows<{ outcome: string; body: string | null; amount: number | null }>(
    'select outcome, body, amount from accept_generations($1::json, $2, $3) order by ordinal',
    [JSON.stringify(creates.map(createRecord)), acceptedBodyEnd, queueCap],
    'generations_accept',
  );
  return rows.map(({ outcome, body, amount }) =>
    body !== null ? { outcome, body } : amount !== null ? { outcome, amount } : { outcome },
  ) as Decision[];
}

function createRecord(create: Create) {
  return {
    id: create.id,
    account_id: create.accountId,
    key_id: create.keyId,
    kind: create.kind,
    lane: create.lane,
    model: create.model,
    project_id: create.projectId,
    cost_millicredits: create.costMillicredits,
    expected_outputs: create.expectedOutputs,
    metadata: create.metadata,
    idempotency_key: create.idempotencyKey,
    fingerprint: create.fingerprint,
    render_request: create.renderRequest,
    quote: create.quote,
    body_start: create.bodyStart,
    monthly_millicredits: create.balance.monthly_millicredits,
    lifetime_millicredits: create.balance.lifetime_millicredits,
    ledger_seq: create.balance.ledger_seq,
    doubt_resolved: create.unconfirmedResolved,
    sent_body: create.sentBody,
    uploads: create.uploads === undefined ? undefined : JSON.stringify(create.uploads),
  };
}

/** What the database holds about a create, before its request is validated against the catalog. */
export type Precheck = {
  /** The generation that was accepted earlier under the same Idempotency-Key. */
  earlier: { fingerprint: string; body: string } | undefined;
  /** Credits that the key may still commit today, in 1/1000; undefined for a key without a budget. */
  budgetLeft: number | undefined;
};

export type PrecheckQuestion = {
  accountId: string;
  /** The key whose budget is read; undefined for a key without a budget. */
  keyId: string | undefined;
  idempotencyKey: string | undefined;
};

/** Reads, for a group of creates, the earlier use of each Idempotency-Key and the rest of each key's budget. */
export async function readPrechecks(
  database: Database,
  asked: readonly PrecheckQuestion[],
): Promise<Precheck[]> {
  const rows = await database.rows<{
    fingerprint: string | null;
    accepted_body: string | null;
    budget_left: number | null;
  }>(
    `select earlier.fingerprint, earlier.accepted_body,
            key.daily_budget_millicredits - coalesce(today.committed_millicredits, 0) as budget_left
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality
              as asked (account_id, key_id, idempotency_key, place)
       left join lateral (
         select id, daily_budget_millicredits from api_keys where id = asked.key_id limit 1) key on true
       left join lateral (
         select committed_millicredits from committed_today()
          where key_id = key.id and key.daily_budget_millicredits is not null limit 1) today on true
       left join lateral (
         select encode(g.fingerprint, 'hex') as fingerprint,
                (select accepted_body from generation_requests where generation_id = g.id) as accepted_body
           from generations g
          where g.account_id = asked.account_id and g.idempotency_key = asked.idempotency_key limit 1) earlier on true
      order by asked.place`,
    [
      asked.map(({ accountId }) => accountId),
      asked.map(({ keyId }) => keyId ?? null),
      asked.map(({ idempotencyKey }) => idempotencyKey ?? null),
    ],
    'generations_precheck',
  );
  return rows.map(({ fingerprint, accepted_body: body, budget_left: budgetLeft }) => ({
    earlier: fingerprint === null || body === null ? undefined : { fingerprint, body },
    budgetLeft: budgetLeft ?? undefined,
  }));
}
