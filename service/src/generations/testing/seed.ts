import { randomBytes } from 'node:crypto';
import type { StudioLimits } from '@renderkit/contract/studio/schemas/account.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId, randomBase62 } from '@renderkit/server-kit/ids.ts';
import { acceptGenerations, type Create, type Decision } from '../create/store.ts';
import { saveLimits } from '../dispatch/store.ts';
import { acceptedBodyStart } from '../present.ts';

export type Seeded = { accountId: string; keyId: string; studioAccountId: string };

/** A connected account with one key. Amounts in 1/1000 credit. */
export async function seedAccount(
  database: Database,
  options: { budget?: number; limits?: number | StudioLimits; studioId?: string } = {},
): Promise<Seeded> {
  const accountId = newId('acc_');
  const studioAccountId = newId('sub_');
  await database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $2, $3)', [
    accountId,
    options.studioId ?? 'std_test',
    studioAccountId,
  ]);
  await database.rows(`insert into connections (account_id, status) values ($1, 'live')`, [accountId]);
  const keyId = await seedKey(database, accountId, options.budget);
  if (options.limits !== undefined) {
    const limits = typeof options.limits === 'number' ? limitsOf(options.limits) : options.limits;
    await saveLimits(database, accountId, limits);
  }
  return { accountId, keyId, studioAccountId };
}

export async function seedKey(database: Database, accountId: string, budget?: number): Promise<string> {
  const keyId = newId('key_');
  await database.rows(
    `insert into api_keys (id, account_id, public_id, secret_sha256, name, scopes, daily_budget_millicredits,
                           rate_limit_per_minute)
     values ($1, $2, $3, $4, 'test', '{read,generate}', $5, 1000000)`,
    [keyId, accountId, randomBase62(12), randomBytes(32), budget ?? null],
  );
  return keyId;
}

/** Returns limits with the same limit in every lane and overall. */
export function limitsOf(limit: number, elsewhere = 0): StudioLimits {
  const lane = { limit, running: 0, running_elsewhere: elsewhere };
  return { overall: lane, image: lane, edit: lane, video: lane };
}

/** Returns a create as the accept receives it: by default 4 credits of a balance of a million. */
export function aCreate(account: Seeded, changes: Partial<Create> = {}): Create {
  const id = newId('gen_');
  const create = {
    id,
    accountId: account.accountId,
    keyId: account.keyId,
    kind: 'image' as const,
    lane: 'image' as const,
    model: 'procedural-landscape',
    projectId: null,
    costMillicredits: 4_000,
    expectedOutputs: 1,
    metadata: '{"order":"4711"}',
    idempotencyKey: undefined,
    fingerprint: undefined,
    renderRequest: JSON.stringify({
      kind: 'image',
      model: 'procedural-landscape',
      project_id: null,
      prompt: `a lighthouse above a calm sea at dusk, seen from ${id}`,
      styles: [],
      suggestions: [],
      options: {},
      reference_images: [],
    }),
    quote: 'q_test',
    balance: { monthly_millicredits: 0, lifetime_millicredits: 1_000_000_000, ledger_seq: 1 },
    unconfirmedResolved: false,
    ...changes,
  };
  return {
    ...create,
    bodyStart: acceptedBodyStart({
      id: create.id,
      kind: create.kind,
      model: create.model,
      project_id: create.projectId,
      cost_millicredits: create.costMillicredits,
      expected_outputs: create.expectedOutputs,
      metadata: create.metadata,
    }),
  };
}

export async function acceptOne(database: Database, create: Create, queueCap = 1_000): Promise<Decision> {
  const [decision] = await acceptGenerations(database, [create], queueCap);
  return decision as Decision;
}

/** Accepts `count` creates and returns their ids, oldest first. */
export async function seedQueue(
  database: Database,
  account: Seeded,
  count: number,
  changes: Partial<Create> = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let done = 0; done < count; done += 64) {
    const creates = Array.from({ length: Math.min(64, count - done) }, () => aCreate(account, changes));
    const decisions = await acceptGenerations(database, creates, 1_000_000);
    for (const { outcome } of decisions)
      if (outcome !== 'accepted') throw new Error(`not accepted: ${outcome}`);
    // Generations of one moment queue in the order of their ids.
    ids.push(...creates.map(({ id }) => id).sort());
  }
  return ids;
}
