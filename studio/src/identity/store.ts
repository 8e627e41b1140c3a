import type {
  NewPayload,
  Person,
  StoredPassword,
  StoredPayload,
  Subject,
} from '@renderkit/identity/identity-store.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';

// Tokens, sessions and grants of the OpenID provider. Ids are passed as they are stored (`storedId`).

/**
 * A rotated refresh token can be used again within this time after each use, and until the limit after its first use.
 */
const rotationGraceSeconds = 60;
const rotationLimitSeconds = 600;

/**
 * Returns SQL: whether another refresh token of the grant of `p` was used that has at least `more` rotations more than
 * `p`.
 */
const wasUsedAfter = (more: 0 | 1) => `exists (select from oidc_payloads other
  where other.grant_id = p.grant_id and other.model = 'RefreshToken' and other.consumed_at is not null and other.id <> p.id
    and coalesce((other.payload ->> 'rotations')::integer, 0) >= coalesce((p.payload ->> 'rotations')::integer, 0) + ${more})`;

/**
 * Whether a rotated refresh token `p` may be used again: the client repeats its request when the answer was lost or
 * late. If the next token was used, the answer did arrive, so somebody else may be using `p`.
 */
const servesAgain = `(p.model = 'RefreshToken'
  and p.consumed_at > clock() - interval '${rotationLimitSeconds} seconds'
  and coalesce(p.consumed_again_at, p.consumed_at) > clock() - interval '${rotationGraceSeconds} seconds'
  and not ${wasUsedAfter(1)})`;

/** When `p` was used up, `null` if it was not. Of several answers to one use, the client can continue with only one. */
const usedUpAt = `case when ${servesAgain} then null
  when p.model = 'RefreshToken' and p.consumed_at is null and ${wasUsedAfter(0)} then clock()
  else p.consumed_at end`;

/**
 * Inserts or replaces a payload. `lifetimeSeconds` in `identity/src/provider/provider.ts` has its lifetime. A payload
 * of a grant is written only while the grant exists. The grant is locked meanwhile, so a concurrent refresh cannot
 * outlive its revocation. Returns `false` when the grant is gone.
 */
export async function writePayload(database: Database, row: NewPayload): Promise<boolean> {
  const { model, payload } = row;
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const rowCount = await database.execute(
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

const columns = `payload, extract(epoch from ${usedUpAt})::integer as consumed_at_seconds`;

/** Finds a payload. A session is found only while the account's password is the one with which the session began. */
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

/**
 * Uses up a payload. Returns `false` when the payload was used up before. A refresh token may be used again for a short
 * time.
 */
export async function consumePayload(database: Database, model: string, id: string): Promise<boolean> {
  const rowCount = await database.execute(
    `update oidc_payloads p set consumed_at = coalesce(consumed_at, clock()),
       consumed_again_at = case when consumed_at is not null then clock() end
     where model = $1 and id = $2 and (${usedUpAt}) is null`,
    [model, id],
  );
  return rowCount === 1;
}

export async function deletePayload(database: Database, model: string, id: string): Promise<void> {
  await database.rows('delete from oidc_payloads where model = $1 and id = $2', [model, id]);
}

/** Ends a grant and deletes all its tokens. */
export async function deleteGrant(database: Database, grantId: string): Promise<void> {
  // Deletes the grant first: a concurrent refresh locks its row.
  await database.rows(`delete from oidc_payloads where model = 'Grant' and id = $1`, [grantId]);
  await database.rows('delete from oidc_payloads where grant_id = $1', [grantId]);
}

/** Returns the ids of an account's grants, of one client or of all. */
export async function grantsOf(
  database: Queryable,
  accountId: string,
  clientId: string | undefined,
): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select id from oidc_payloads where model = 'Grant' and account_id = $1 and ($2::text is null or client_id = $2)`,
    [accountId, clientId ?? null],
  );
  return rows.map(({ id }) => id);
}

/** Returns whether an unexpired grant gives the client all of these scopes. */
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

// The provider writes a grant a moment before its code, so a new grant has no payload yet.
const spentAfterSeconds = 3_600;

/** Removes grants that have no valid payload any more. */
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

/** Returns a person's data for the provider's claims and the pages. */
export async function findPerson(database: Database, accountId: string): Promise<Person | undefined> {
  const [row] = await database.rows<Person>(
    `select id, email, email_verified, name, username, password_version from accounts
     where id = $1 and deleted_at is null`,
    [accountId],
    'find_person',
  );
  return row;
}

export async function findPassword(database: Database, email: string): Promise<StoredPassword | undefined> {
  const [row] = await database.rows<StoredPassword>(
    'select id, password_hash, password_version from accounts where lower(email) = lower($1)',
    [email],
  );
  return row;
}

// Tries to sign in.

// Rows hold a hash so that they reveal no address. The database converts to lower case, as it does to find accounts:
// with other rules, somebody could guess an account's password under many spellings of its address.
const keyed = (text: string) => `encode(sha256(convert_to(lower(${text}), 'UTF8')), 'base64')`;

/**
 * Counts a try in one statement before anything is checked, so that parallel tries cannot all be the first. Returns
 * `undefined` when the try may proceed, otherwise the seconds until the next try is allowed. A window begins with its
 * first try; further tries do not prolong it. `identity/src/passwords/throttle.ts` has the limits.
 */
export async function countAttempt(
  database: Database,
  subject: Subject,
  windowSeconds: number,
): Promise<number | undefined> {
  const [row] = await database.rows<{ attempts: number; seconds: number }>(
    `insert into sign_in_attempts as a (subject, attempts, window_ends_at)
     values (${keyed('$1::text')}, 1, clock() + $2 * interval '1 second')
     on conflict (subject) do update set
       attempts = case when a.window_ends_at <= clock() then 1 else a.attempts + 1 end,
       window_ends_at = case when a.window_ends_at <= clock() then excluded.window_ends_at else a.window_ends_at end
     returning attempts, ceil(extract(epoch from window_ends_at - clock()))::integer as seconds`,
    [nameOf(subject), windowSeconds],
    'count_attempt',
  );
  return row !== undefined && row.attempts > subject.max ? row.seconds : undefined;
}

/** Takes back a try that was the person's own. */
export async function forgiveAttempt(database: Database, subjects: readonly Subject[]): Promise<void> {
  await database.rows(
    `with mine as (
       select subject from sign_in_attempts
       where subject in (select ${keyed('text')} from unnest($1::text[]) as mine (text))
       order by subject for update)
     update sign_in_attempts a set attempts = a.attempts - 1 from mine where a.subject = mine.subject`,
    [subjects.map(nameOf)],
    'forgive_attempt',
  );
}

function nameOf({ of }: Subject): string {
  return JSON.stringify(of);
}
