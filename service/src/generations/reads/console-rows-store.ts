import type { GenerationKind, GenerationStatus } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { provenanceIn } from '../provenance.ts';
import type { KeyedRow, MadeWith, StoredDetail } from './rows.ts';
import { packed, unpack } from './store.ts';

type PackedRow = {
  packed: string;
  key_id: string;
  key_name: string | null;
  console: boolean;
  prompt: string | null;
};

// Only the beginning of the prompt leaves the database, not the whole request.
const keyed = (promptCharacters: string) => `${packed} as packed, g.key_id, k.name as key_name,
    k.kind is not distinct from 'console' as console,
    nullif(left(r.render_request::json ->> 'prompt', ${promptCharacters}), '') as prompt`;
const joined = `left join api_keys k on k.id = g.key_id and k.account_id = g.account_id
    left join generation_requests r on r.generation_id = g.id`;

const unpackKeyed = (row: PackedRow): KeyedRow => ({
  row: unpack(row.packed),
  keyId: row.key_id,
  key: row.key_name === null ? undefined : { name: row.key_name, console: row.console },
  prompt: row.prompt,
});

export type RowFilter = {
  accountId: string;
  status?: GenerationStatus | undefined;
  kind?: GenerationKind | undefined;
  keyId?: string | undefined;
  /**
   * Words of the prompt, or their beginnings. The functions prompt_words and search_words decide what matches
   * (sql/functions).
   */
  search?: string | undefined;
  /** The item of the library from which the generations were made. */
  source?: string | undefined;
  /** ISO 8601 in UTC: created at this time or later, and created before this time. */
  createdFrom?: string | undefined;
  createdBefore?: string | undefined;
};

/** Returns an account's generations, newest first. Reads the ids by an index alone, then the rows of the page. */
export async function selectRows(
  database: Database,
  filter: RowFilter,
  page: { offset: number; limit: number; promptCharacters: number },
): Promise<KeyedRow[]> {
  const values: unknown[] = [filter.accountId, page.offset, page.limit, page.promptCharacters];
  const conditions = ['account_id = $1'];
  for (const name of ['status', 'kind'] as const)
    if (filter[name] !== undefined) conditions.push(`${name} = $${values.push(filter[name])}`);
  if (filter.createdFrom !== undefined) conditions.push(`created_at >= $${values.push(filter.createdFrom)}`);
  if (filter.createdBefore !== undefined)
    conditions.push(`created_at < $${values.push(filter.createdBefore)}`);
  const rows = await database.rows<PackedRow>(
    `select ${keyed('$4')}
       from (${idsOf(filter, conditions, values)}
             offset $2 limit $3) page
      cross join lateral (select * from generations where id = page.id limit 1) g
       ${joined}
      order by page.created_at desc, page.id desc`,
    values,
  );
  return rows.map(unpackKeyed);
}

function idsOf({ keyId, search = '', source }: RowFilter, conditions: string[], values: unknown[]): string {
  const words: string[] = [];
  if (search.trim() !== '') words.push(`words @@ search_words($1, $${values.push(search)})`);
  if (source !== undefined) words.push(`words @@ source_words($1, $${values.push(source)})`);
  if (words.length > 0) {
    if (keyId !== undefined) conditions.push(`key_id = $${values.push(keyId)}`);
    return idsOfWords(conditions.join(' and '), words.join(' and '));
  }
  return keyId === undefined ? idsOfAll(conditions) : idsOfKey(conditions, values.push(keyId));
}

/** How many of an account's newest generations are searched directly before the index of words is used. */
const readForWords = 2_000;

// All accounts share the index of words. A search for the beginning of a word reads the entries of all accounts, which
// takes seconds for a common word among millions of prompts. So the account's newest generations are searched directly.
// The index is only used if the account has more than these and they did not fill the page. The planner cannot decide
// this: it treats every word as common.
const idsOfWords = (conditions: string, words: string) => `
  select id, created_at from (
    with newest as materialized (
      select id, created_at from generations where ${conditions}
       order by created_at desc, id desc limit ${readForWords}
    ), near as materialized (
      -- The limit keeps the planner from using the index of words here.
      select n.id, n.created_at from newest n
       cross join lateral (select words from generation_requests where generation_id = n.id limit 1) r where ${words}
    ), found as materialized (
      select generation_id from generation_requests where ${words}
    ), whole as (
      select (select count(*) from newest) < ${readForWords} or (select count(*) from near) >= $2::bigint + $3 as is_near
    )
    select id, created_at from near where (select is_near from whole)
    union all
    select g.id, g.created_at from (select * from generations where ${conditions}) g join found f on f.generation_id = g.id
     where not (select is_near from whole)) g
   order by created_at desc, id desc`;

const idsOfAll = (conditions: readonly string[]) =>
  `select id, created_at from generations where ${conditions.join(' and ')} order by created_at desc, id desc`;

// Each day on which a key had something accepted has a row. So days without any are skipped, and only as many days are
// read as fill the page.
const idsOfKey = (conditions: readonly string[], key: number) => `
  select g.id, g.created_at from budget_days d
   cross join lateral (
     select id, created_at from generations
      where ${conditions.join(' and ')} and key_id = $${key}
        and created_at >= d.day::timestamp at time zone 'UTC'
        and created_at < (d.day + 1)::timestamp at time zone 'UTC') g
   where d.key_id = $${key} order by d.day desc, g.created_at desc, g.id desc`;

/** Returns details of those ids that belong to the account, in any order. */
export async function selectDetails(
  database: Database,
  asked: { ids: readonly string[]; accountId: string; promptCharacters: number },
): Promise<StoredDetail[]> {
  const rows = await database.rows<
    PackedRow & Record<'render_request' | 'uploads' | 'sent_body' | 'provenance', string | null>
  >(
    `select ${keyed('$3')}, r.render_request, r.uploads, r.sent_body, g.provenance
       from generations g ${joined} where g.id = any ($1) and g.account_id = $2`,
    [asked.ids, asked.accountId, asked.promptCharacters],
  );
  return rows.map((row) => {
    const { render_request: renderRequest, uploads, sent_body: sentBody } = row;
    return {
      ...unpackKeyed(row),
      request: renderRequest === null ? undefined : { renderRequest, uploads, sentBody },
      provenance: provenanceIn(row.provenance),
    };
  });
}

export async function selectKnown(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    'select id from generations where id = any($1) and account_id = $2',
    [ids, accountId],
  );
  return rows.map(({ id }) => id);
}

export async function selectProvenance(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await database.rows<{ provenance: string }>(
    'select provenance from generations where id = any($1) and account_id = $2 and provenance is not null',
    [ids, accountId],
  );
  return rows.map(({ provenance }) => provenance);
}

/** Returns how the account's generations were made, by id. Leaves out those whose texts were erased. */
export async function selectMadeWith(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, MadeWith>> {
  type Row = { id: string; kind: GenerationKind; model: string; render_request: string } & Record<
    'uploads' | 'sent_body' | 'provenance',
    string | null
  >;
  const rows = await database.rows<Row>(
    `select g.id, g.kind, g.model, r.render_request, r.uploads, r.sent_body, g.provenance
       from generations g join generation_requests r on r.generation_id = g.id
      where g.id = any($1) and g.account_id = $2`,
    [ids, accountId],
  );
  return new Map(
    rows.map(
      ({ id, kind, model, render_request: renderRequest, uploads, sent_body: sentBody, provenance }) => [
        id,
        { kind, model, request: { renderRequest, uploads, sentBody }, provenance: provenanceIn(provenance) },
      ],
    ),
  );
}

/** Counts an account's generations by the UTC day of their creation and by status. No count exceeds `max`. */
export function countByDay(
  database: Database,
  accountId: string,
  days: readonly string[],
  max: number,
): Promise<{ day: string; status: GenerationStatus; count: number }[]> {
  return database.rows(
    `select d.day, s.status,
            (select count(*)::integer from (
               select from generations g
                where g.account_id = $1 and g.status = s.status
                  and g.created_at >= d.day::timestamp at time zone 'UTC'
                  and g.created_at < (d.day + 1)::timestamp at time zone 'UTC'
                limit $3) n) as count
       from unnest($2::date[]) as d (day)
      cross join unnest(array['queued', 'running', 'succeeded', 'failed', 'canceled']) as s (status)`,
    [accountId, days, max],
  );
}

/**
 * Returns the ids of an account's videos and extensions, by age, after a given one or from the first. The rows of each
 * kind come from the index of that kind.
 */
export async function selectVideoIds(
  database: Database,
  page: {
    accountId: string;
    /** The last item of the page before, with its time as its row contains it. */
    after: { id: string; created_at: string } | undefined;
    isOldestFirst: boolean;
    limit: number;
  },
): Promise<string[]> {
  const { accountId, after, isOldestFirst, limit } = page;
  const values: unknown[] = [accountId, limit];
  const compared = isOldestFirst ? '>' : '<';
  const beyond =
    after === undefined
      ? ''
      : `and (created_at, id) ${compared} ($${values.push(after.created_at)}::timestamptz, $${values.push(after.id)})`;
  const order = isOldestFirst ? 'order by created_at, id' : 'order by created_at desc, id desc';
  const ofKind = (kind: GenerationKind) =>
    `(select id, created_at from generations where account_id = $1 and kind = '${kind}' ${beyond} ${order} limit $2)`;
  const rows = await database.rows<{ id: string }>(
    `select id from (${ofKind('video')} union all ${ofKind('video_extend')}) videos ${order} limit $2`,
    values,
  );
  return rows.map(({ id }) => id);
}
