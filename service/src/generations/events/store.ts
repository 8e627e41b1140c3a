import type { StreamEventType } from '@renderkit/contract/v1/event-types.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { GenerationRow } from '../present.ts';
import { packed, unpack } from '../reads/store.ts';

/**
 * How long an account's events can be read, as a PostgreSQL interval (docs/api.md §6).
 * `service/src/retention/cleaner.ts` removes older events a day later.
 */
export const streamedFor = '7 days';

/**
 * One event of an account. `body` is the envelope for webhooks; events that webhooks do not get have `generation`
 * instead.
 */
export type AccountEvent = {
  seq: number;
  id: string;
  type: StreamEventType;
  /** PostgreSQL's text in UTC. */
  at: string;
  body: string | null;
  generation: GenerationRow | undefined;
  /** The project that the create named. */
  namedProjectId: string | null;
};

type EventRow = {
  place: number;
  seq: number;
  id: string;
  type: StreamEventType;
  at: string;
  body: string | null;
  packed: string | null;
  named_project_id: string | null;
};

/** SQL: the columns of an `AccountEvent`, for rows `e` of account_events. */
const columns = `e.seq, e.id, e.type, e.created_at::text as at, w.body,
          case when g.id is not null then ${packed} end as packed,
          case when e.type = 'generation.created'
            then (select render_request::json ->> 'project_id' from generation_requests where generation_id = g.id)
          end as named_project_id`;
const joined = `left join lateral (select body from events where id = e.id limit 1) w on true
       left join lateral (
         select * from generations where w.body is null and id = e.subject_id and account_id = e.account_id limit 1) g on true`;

function toEvent(row: EventRow): AccountEvent {
  const { seq, id, type, at, body } = row;
  const generation = row.packed === null ? undefined : unpack(row.packed);
  return { seq, id, type, at, body, generation, namedProjectId: row.named_project_id };
}

/** Returns, for each position in an account's events, the next events, `atMost` of them. */
export async function readNextEvents(
  database: Database,
  asked: readonly { accountId: string; after: number }[],
  atMost: number,
): Promise<AccountEvent[][]> {
  const rows = await database.rows<EventRow>(
    `select asked.place::integer, ${columns}
       from unnest($1::text[], $2::bigint[]) with ordinality as asked (account_id, after, place)
      cross join lateral (
        select * from account_events e
         where e.account_id = asked.account_id and e.seq > asked.after order by e.seq limit $3) e
       ${joined}
      order by asked.place, e.seq`,
    [asked.map(({ accountId }) => accountId), asked.map(({ after }) => after), atMost],
    'account_events_next',
  );
  const found = asked.map((): AccountEvent[] => []);
  for (const row of rows) found[row.place - 1]?.push(toEvent(row));
  return found;
}

/** Returns a page of an account's events, oldest first. */
export async function listEvents(
  database: Database,
  list: {
    accountId: string;
    after: number;
    types: readonly string[] | undefined;
    offset: number;
    limit: number;
  },
): Promise<AccountEvent[]> {
  const rows = await database.rows<EventRow>(
    `select 1 as place, ${columns}
       from (select * from account_events
              where account_id = $1 and seq > $2 and created_at > clock() - interval '${streamedFor}'
                and ($3::text[] is null or type = any ($3))
              order by seq offset $4 limit $5) e
       ${joined}
      order by e.seq`,
    [list.accountId, list.after, list.types ?? null, list.offset, list.limit],
    'account_events_list',
  );
  return rows.map(toEvent);
}

/**
 * The id after which an account without events continues: before its first event. The digits are the Unix time of its
 * issue.
 */
const beforeFirst = /^evt_none_(\d{1,12})$/;

/**
 * Returns the position of an event among its account's events; undefined where the account has no such event any more.
 */
export async function readPosition(
  database: Database,
  asked: { accountId: string; id: string },
): Promise<number | undefined> {
  const second = beforeFirst.exec(asked.id)?.[1];
  if (second !== undefined) {
    const [fresh] = await database.rows<{ seq: number }>(
      `select 0::bigint as seq where to_timestamp($1::bigint) > clock() - interval '${streamedFor}'`,
      [second],
      'account_events_before_first',
    );
    return fresh?.seq;
  }
  const [row] = await database.rows<{ seq: number }>(
    `select seq from account_events
      where id = $1 and account_id = $2 and created_at > clock() - interval '${streamedFor}'`,
    [asked.id, asked.accountId],
    'account_events_position',
  );
  return row?.seq;
}

/** Returns the position of an account's newest event, and its id while a stream can begin after it. */
export async function readLastPosition(
  database: Database,
  accountId: string,
): Promise<{ position: number; id: string | undefined }> {
  const [row] = await database.rows<{ seq: number | null; id: string | null }>(
    `select e.seq, case when e.seq is null then 'evt_none_' || floor(extract(epoch from clock()))::bigint
                        when e.created_at > clock() - interval '${streamedFor}' then e.id end as id
       from (select) one
       left join lateral (
         select seq, id, created_at from account_events where account_id = $1 order by seq desc limit 1) e on true`,
    [accountId],
    'account_events_last',
  );
  return { position: row?.seq ?? 0, id: row?.id ?? undefined };
}
