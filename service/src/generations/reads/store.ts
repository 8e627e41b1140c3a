import type { GenerationKind, GenerationStatus } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { GenerationRow } from '../present.ts';

// A row is read as one text: the driver needs half the time that it needs for fifteen columns. The studio names models,
// projects and prompts, so the separators are removed from these names.
const between = '\u001f';
const nothing = '\u001e';
const named = (column: string) => `translate(${column}, E'\\x1e\\x1f', '')`;
export const packed = `array_to_string(array[
    g.id, g.kind, g.status, ${named('g.model')}, ${named('g.project_id')}, g.cost_millicredits::text,
    g.expected_outputs::text, g.outputs, g.error_code, g.error_message, ${named('g.prompt_id')}, g.metadata,
    g.created_at::text, g.submitted_at::text, g.completed_at::text], E'\\x1f', E'\\x1e')`;

/** Parses a row that was read as one text. */
export function unpack(text: string): GenerationRow {
  return rowAt(text.split(between), 0);
}

function rowAt(fields: readonly string[], start: number): GenerationRow {
  const at = (i: number) => fields[start + i] as string;
  const orNull = (i: number) => (at(i) === nothing ? null : at(i));
  return {
    id: at(0),
    kind: at(1) as GenerationKind,
    status: at(2) as GenerationStatus,
    model: at(3),
    project_id: orNull(4),
    cost_millicredits: Number(at(5)),
    expected_outputs: Number(at(6)),
    outputs: at(7),
    error_code: orNull(8),
    error_message: orNull(9),
    prompt_id: orNull(10),
    metadata: at(11),
    created_at: at(12),
    submitted_at: orNull(13),
    completed_at: orNull(14),
  };
}

/** The place and the fifteen fields of a row. */
const fieldsOfPlaced = 16;

/**
 * Returns the given generations, in order; undefined where the account has none of that id. No id may contain a comma.
 * All rows come as one text: for a batch of 100, the driver and the service need a third less time than for separate
 * rows.
 */
export async function readGenerations(
  database: Database,
  asked: readonly { id: string; accountId: string }[],
): Promise<(GenerationRow | undefined)[]> {
  const rows = await database.rows<{ packed: string | null }>(
    `select string_agg(asked.place || E'\\x1f' || ${packed}, E'\\x1f') as packed
       from rows from (unnest(string_to_array($1, ',')), unnest(string_to_array($2, ',')))
            with ordinality as asked (id, account_id, place)
      cross join lateral (
        select * from generations where id = asked.id and account_id = asked.account_id limit 1) g`,
    [asked.map(({ id }) => id).join(','), asked.map(({ accountId }) => accountId).join(',')],
    'generations_read',
  );
  const found = Array.from<GenerationRow | undefined>({ length: asked.length });
  const fields = rows[0]?.packed?.split(between) ?? [];
  for (let i = 0; i < fields.length; i += fieldsOfPlaced) {
    const at = Number(fields[i]) - 1;
    const row = rowAt(fields, i + 1);
    // Protects accounts from each other's rows if a field contains a separator after all.
    if (asked[at] === undefined || row.id !== asked[at].id)
      throw new Error(`a field of generation ${row.id}, or of one before it in its batch, holds U+001F`);
    found[at] = row;
  }
  return found;
}

/** Like `readGenerations`, for a waiting client. `usable` is false where its key was revoked or expired meanwhile. */
export async function readAwaited(
  database: Database,
  asked: readonly { id: string; accountId: string; keyId: string }[],
): Promise<{ usable: boolean; row: GenerationRow | undefined }[]> {
  const rows = await database.rows<{ usable: boolean; packed: string | null }>(
    `select key.id is not null as usable, case when g.id is not null then ${packed} end as packed
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality as asked (id, account_id, key_id, place)
       left join lateral (
         select id from api_keys
          where id = asked.key_id and revoked_at is null and (expires_at is null or expires_at > clock())
          limit 1) key on true
       left join lateral (
         select * from generations where id = asked.id and account_id = asked.account_id limit 1) g on true
      order by asked.place`,
    [asked.map(({ id }) => id), asked.map(({ accountId }) => accountId), asked.map(({ keyId }) => keyId)],
    'generations_read_awaited',
  );
  return rows.map((row) => ({
    usable: row.usable,
    row: row.packed === null ? undefined : unpack(row.packed),
  }));
}

/** Returns an account's generations, newest first. Reads the ids by an index alone, then the rows of the page. */
export async function listGenerations(
  database: Database,
  list: {
    accountId: string;
    status: GenerationStatus | undefined;
    kind: GenerationKind | undefined;
    offset: number;
    limit: number;
  },
): Promise<GenerationRow[]> {
  // Each filter has a separate statement, so that each gets the plan of its index.
  const filters: string[] = [];
  const values: unknown[] = [list.accountId, list.offset, list.limit];
  for (const name of ['status', 'kind'] as const)
    if (list[name] !== undefined) filters.push(`and ${name} = $${values.push(list[name])}`);
  const rows = await database.rows<{ packed: string }>(
    `select ${packed} as packed
       from (select id, created_at from generations
              where account_id = $1 ${filters.join(' ')}
              order by created_at desc, id desc offset $2 limit $3) page
      cross join lateral (select * from generations where id = page.id limit 1) g
      order by page.created_at desc, page.id desc`,
    values,
    `generations_list_${filters.length}_${list.status === undefined ? '' : 'status'}`,
  );
  return rows.map((row) => unpack(row.packed));
}

/** Far more generations than can finish in ten seconds. */
const settledAtMost = 100_000;

/**
 * Returns the ids of generations that reached their last status since ten seconds before `lastLook`, and the time of
 * this look.
 */
export async function readSettledSince(
  database: Database,
  lastLook: string | undefined,
): Promise<{ ids: string[]; at: string }> {
  // Commits may happen in another order than their times, so each look overlaps the last one.
  const rows = await database.rows<{ ids: string[]; at: string }>(
    `select clock()::text as at,
            array(select id from generations
                   where completed_at > coalesce($1::timestamptz, clock()) - interval '10 seconds'
                   -- Without an order, a generic plan would scan the table.
                   order by completed_at desc limit $2) as ids`,
    [lastLook ?? null, settledAtMost],
    'generations_settled_since',
  );
  return rows[0] as { ids: string[]; at: string };
}
