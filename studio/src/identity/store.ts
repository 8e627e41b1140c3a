import type {
  NewPayload,
  Person,
  StoredPassword,
  StoredPayload,
  Subject,
} from '@renderkit/identity/identity-store.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';

// Tokens, sessions and grants of the OpenID provider; ids come as they are stored (`storedId`).

/** Seconds after each use in which a rotated refresh token serves once more, and after its first use in all. */
const rotationGraceSeconds = 60;
const rotationLimitSeconds = 600;

/** Whether another refresh token of the grant of `p` was used that is as many rotations on as `p` and so many more. */
const wasUsedAfter = (more: 0 | 1) => `exists (select from oidc_payloads other
  where other.grant_id = p.grant_id and other.model = 'RefreshToken' and other.consumed_at is not null and other.id <> p.id
    and coalesce((other.payload ->> 'rotations')::integer, 0) >= coalesce((p.payload ->> 'rotations')::integer, 0) + ${more})`;

/**
 * Whether a rotated refresh token `p` serves once more: its answer may not have arrived, or come too late, as often as the
 * client asks again. One whose successor was used did arrive; then it is somebody else who asks.
 */
const servesAgain = `(p.model = 'RefreshToken'
  and p.consumed_at > clock() - interval '${rotationLimitSeconds} seconds'
  and coalesce(p.consumed_again_at, p.consumed_at) > clock() - interval '${rotationGraceSeconds} seconds'
  and not ${wasUsedAfter(1)})`;

/** When `p` was used up, null where it was not. Of the answers that one use got in the end, one alone can be gone on with. */
const usedUpAt = `case when ${servesAgain} then null
  when p.model = 'RefreshToken' and p.consumed_at is null and ${wasUsedAfter(0)} then clock()
  else p.consumed_at end`;

/**
 * Inserts or replaces. What hangs on a grant is written only while the grant is there, locked against its
 * revocation in between: a refresh under way cannot outlive it. False when the grant is gone.
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

/** A session is found only while its account has the password that it began with. */
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

/** False when it was used up before; a refresh token serves again within the grace. */
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

/** Ends a grant with all that hangs on it. */
export async function deleteGrant(database: Database, grantId: string): Promise<void> {
  // The grant first: its row is what a refresh under way holds on to.
  await database.rows(`delete from oidc_payloads where model = 'Grant' and id = $1`, [grantId]);
  await database.rows('delete from oidc_payloads where grant_id = $1', [grantId]);
}

/** The ids of an account's grants, of one client or of all. */
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

/** Who somebody is, for the provider's claims and the pages. */
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

// The row is to tell nobody's address. The database's own idea of lower case is what accounts are found by; with
// another one an account could be guessed at under many spellings.
const keyed = (text: string) => `encode(sha256(convert_to(lower(${text}), 'UTF8')), 'base64')`;

/**
 * Counts a try, in one statement before anything is looked at: parallel tries cannot all be the first. Undefined when it
 * may go on; else the seconds until one may again. Windows begin with their first try and are not prolonged by more.
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

/** Takes a try back that turned out to be the person's own. */
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
