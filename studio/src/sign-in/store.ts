import { hash } from 'node:crypto';
import type { StudioStorage } from '@renderkit/contract/studio/storage.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';

/** Seconds for which a rotated refresh token serves once more. */
export const rotationGraceSeconds = 60;

export type StoredPayload = { payload: Record<string, unknown>; consumed_at_seconds: number | null };

/** A token's or session's value is a secret: it is found by its hash. A grant's id opens nothing by itself. */
export function storedId(model: string, id: string): string {
  return model === 'Grant' ? id : hash('sha256', id, 'base64url');
}

/**
 * Inserts or replaces. What hangs on a grant is written only while the grant is there, locked against its
 * revocation in between: a refresh under way cannot outlive it. False when the grant is gone.
 */
export async function writePayload(
  database: Database,
  row: { model: string; id: string; payload: Record<string, unknown>; expiresIn: number | undefined },
): Promise<boolean> {
  const { model, payload } = row;
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const { rowCount } = await database.pool.query(
    `with live as (
       select 1 from oidc_payloads where model = 'Grant' and id = $4 for share
     )
     insert into oidc_payloads (model, id, payload, grant_id, account_id, client_id, uid, user_code, expires_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, clock() + $9 * interval '1 second'
     where $4::text is null or exists (select from live)
     on conflict (model, id) do update set payload = excluded.payload, expires_at = excluded.expires_at,
       grant_id = excluded.grant_id, account_id = excluded.account_id, uid = excluded.uid`,
    [
      model,
      row.id,
      payload,
      text(payload['grantId']),
      text(payload['accountId']),
      text(payload['clientId']),
      text(payload['uid']),
      text(payload['userCode']),
      row.expiresIn ?? null,
    ],
  );
  return rowCount === 1;
}

const columns = `payload, extract(epoch from case
  when model = 'RefreshToken' and consumed_again_at is null
    and consumed_at > clock() - interval '${rotationGraceSeconds} seconds' then null
  else consumed_at end)::integer as consumed_at_seconds`;

/** A session is found only while its account has the password that it began with; see sessions.ts. */
export async function findPayload(
  database: Database,
  by: 'id' | 'uid' | 'user_code',
  model: string,
  value: string,
): Promise<StoredPayload | undefined> {
  const [row] = await database.rows<StoredPayload>(
    `select ${columns} from oidc_payloads p
     where model = $1 and ${by} = $2 and (expires_at is null or expires_at > clock())
       and (model <> 'Session' or exists (select from accounts a where a.id = p.account_id
         and a.password_version::text = coalesce(p.payload ->> 'acr', '0')))`,
    [model, value],
  );
  return row;
}

/** False when it was used up before: twice for a refresh token, the second time within the grace; else once. */
export async function consumePayload(database: Database, model: string, id: string): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `update oidc_payloads set consumed_at = coalesce(consumed_at, clock()),
       consumed_again_at = case when consumed_at is not null then clock() end
     where model = $1 and id = $2 and (consumed_at is null or ($1 = 'RefreshToken' and consumed_again_at is null
       and consumed_at > clock() - interval '${rotationGraceSeconds} seconds'))`,
    [model, id],
  );
  return rowCount === 1;
}

export async function deletePayload(database: Database, model: string, id: string): Promise<void> {
  await database.rows('delete from oidc_payloads where model = $1 and id = $2', [model, id]);
}

/** Ends a grant with all that hangs on it, and returns the accounts concerned. */
export async function deleteGrant(database: Database, grantId: string): Promise<string[]> {
  // The grant first: its row is what a refresh under way holds on to.
  const ended = await database.rows<{ account_id: string }>(
    `delete from oidc_payloads where model = 'Grant' and id = $1 returning account_id`,
    [grantId],
  );
  await database.rows('delete from oidc_payloads where grant_id = $1', [grantId]);
  return ended.map(({ account_id }) => account_id);
}

/** The ids of an account's grants, of one client or of all. */
export async function grantsOf(
  database: Queryable,
  accountId: string,
  clientId: string | undefined,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select id from oidc_payloads where model = 'Grant' and account_id = $1 and ($2::text is null or client_id = $2)`,
    [accountId, clientId ?? null],
  );
  return rows.map(({ id }) => id);
}

/** Whether a grant that is still good gives the client all of these scopes. */
export async function hasGranted(
  database: Database,
  accountId: string,
  clientId: string,
  scopes: string[],
): Promise<boolean> {
  const [row] = await database.rows<{ granted: boolean }>(
    `select exists (select from oidc_payloads where model = 'Grant' and account_id = $1 and client_id = $2
       and expires_at > clock()
       and string_to_array(payload #>> '{openid,scope}', ' ') @> $3::text[]) as granted`,
    [accountId, clientId, scopes],
  );
  return row?.granted === true;
}

// A grant is written a moment before the code that hangs on it.
const spentAfterSeconds = 3_600;

/** Removes grants that no token hangs on any more. */
export async function deleteSpentGrants(
  database: Database,
  accountId: string,
  clientId: string,
): Promise<void> {
  await database.rows(
    `delete from oidc_payloads g where model = 'Grant' and account_id = $1 and client_id = $2
       and to_timestamp((payload ->> 'iat')::bigint) < clock() - $3 * interval '1 second'
       and not exists (select from oidc_payloads t where t.grant_id = g.id and t.expires_at > clock())`,
    [accountId, clientId, spentAfterSeconds],
  );
}

/** Removes every browser's session of an account. */
export async function deleteSessions(queryable: Queryable, accountId: string): Promise<void> {
  await queryable.query(`delete from oidc_payloads where model = 'Session' and account_id = $1`, [accountId]);
}

export type IdentityRow = {
  id: string;
  email: string | null;
  email_verified: boolean;
  name: string | null;
  username: string | null;
  password_version: number;
};

/** Who somebody is, for the provider's claims. */
export async function readIdentity(database: Database, accountId: string): Promise<IdentityRow | undefined> {
  const [row] = await database.rows<IdentityRow>(
    `select id, email, email_verified, name, username, password_version from accounts
     where id = $1 and deleted_at is null`,
    [accountId],
    'read_identity',
  );
  return row;
}

/** Removes what has expired, a batch at a time. */
export async function deleteExpired(database: Database, atMost: number): Promise<number> {
  const { rowCount } = await database.pool.query(
    `delete from oidc_payloads where ctid = any(array(
       select ctid from oidc_payloads where expires_at < clock() - interval '1 hour' limit $1))`,
    [atMost],
  );
  return rowCount ?? 0;
}

export type AuthenticatedRow = {
  client_id: string | null;
  maintenance: boolean;
  /** Seconds since 1970 by the database's clock. */
  now_seconds: number;
  account: AccountFacts | null;
};

/** What a call needs to know of its account, read with its token in one statement. */
export type AccountFacts = {
  id: string;
  email: string | null;
  name: string | null;
  username: string | null;
  tier: 'free' | 'plus' | 'pro';
  organization: boolean;
  age_verified: boolean;
  email_verified: boolean;
  suspended: boolean;
  region_blocked: boolean;
  monthly_millicredits: number;
  lifetime_millicredits: number;
  allowance_millicredits: number;
  next_refill: string;
  refill_due: boolean;
  ledger_seq: number;
  styles_version: number;
  next_fault: 'nonsense' | 'rate' | 'concurrency' | 'silence' | null;
  storage: StudioStorage;
};

const accountFacts = `json_build_object('id', a.id, 'email', a.email, 'name', a.name, 'username', a.username,
  'tier', a.tier, 'organization', a.organization, 'age_verified', a.age_verified,
  'email_verified', a.email_verified, 'suspended', a.suspended, 'region_blocked', a.region_blocked,
  'monthly_millicredits', a.monthly_millicredits, 'lifetime_millicredits', a.lifetime_millicredits,
  'allowance_millicredits', a.allowance_millicredits, 'next_refill', iso_time(a.next_refill_at),
  'refill_due', a.next_refill_at <= clock(), 'ledger_seq', a.ledger_seq, 'styles_version', a.styles_version,
  'next_fault', a.next_fault, 'storage', storage_json(a))`;

/**
 * One statement for all tokens that arrived in one turn: two look-ups by primary key each, the token's and its
 * grant's, so that nothing outlives a revoked grant. In the order asked; `account` is null for a token that is
 * unknown, expired or revoked.
 */
export async function findBearers(database: Database, tokens: string[]): Promise<AuthenticatedRow[]> {
  return database.rows<AuthenticatedRow>(
    `select t.client_id, coalesce((select value = 'true' from settings where name = 'maintenance'), false) as maintenance,
       extract(epoch from clock())::float8 as now_seconds,
       case when a.id is not null then ${accountFacts} end as account
     from unnest($1::text[]) with ordinality as asked (id, position)
     left join oidc_payloads t on t.model = 'AccessToken' and t.id = asked.id and t.expires_at > clock()
     left join oidc_payloads g on g.model = 'Grant' and g.id = t.grant_id and g.expires_at > clock()
     left join accounts a on a.id = g.account_id and a.deleted_at is null
     order by asked.position`,
    [tokens],
    'find_bearers',
  );
}

/** The same facts, read again: after a refill. */
export async function readAccountFacts(
  database: Database,
  accountId: string,
): Promise<AccountFacts | undefined> {
  const [row] = await database.rows<{ account: AccountFacts }>(
    `select ${accountFacts} as account from accounts a where id = $1 and deleted_at is null`,
    [accountId],
    'read_account_facts',
  );
  return row?.account;
}

export async function isUnderMaintenance(database: Database): Promise<boolean> {
  const [row] = await database.rows<{ on: boolean }>(
    `select coalesce((select value = 'true' from settings where name = 'maintenance'), false) as on`,
    [],
    'is_under_maintenance',
  );
  return row?.on === true;
}
