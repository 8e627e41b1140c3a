import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { TimesRow } from '@renderkit/server-kit/work/range-cache.ts';
import type { GenerationRow } from '../present.ts';
import { packed, unpack } from '../reads/store.ts';

/** A generation with all that its watchers need. */
export type LiveRow = {
  generation: GenerationRow;
  lane: Lane;
  /** Uploads that it names are still being checked. */
  blocked: boolean;
  /** A submit is in progress, or was made. */
  holdsSlot: boolean;
  /** Its account pauses before the next try. */
  pausing: boolean;
  /** Free slots of the plan, overall and in the lane; null where they are not known. */
  freeSlots: number | null;
  freeLaneSlots: number | null;
  /** Its place in its account's lane; null where it does not wait there. */
  position: number | null;
  of: number | null;
  /** Slots of the plan, overall and in the lane. */
  slots: number | null;
  laneSlots: number | null;
  /** Whether generations of other lanes also wait for slots. */
  othersWait: boolean;
};

/**
 * Reads generations with all that explains why they wait, in the order asked; undefined where the account has none of
 * that id. Counts free slots like the function claim_generations_up_to (sql/functions), which decides.
 */
export async function readLive(
  database: Database,
  asked: readonly { id: string; accountId: string }[],
): Promise<(LiveRow | undefined)[]> {
  const rows = await database.rows<Omit<LiveRow, 'generation'> & { place: number; packed: string }>(
    `with found as (
       select asked.place, g.* from unnest($1::text[], $2::text[]) with ordinality as asked (id, account_id, place)
         cross join lateral (
           select * from generations where id = asked.id and account_id = asked.account_id limit 1) g
     ), turns as (
       select w.id, row_number() over (partition by w.account_id, w.lane order by w.created_at, w.id) as position,
              count(*) over (partition by w.account_id, w.lane) as of
         from (select distinct account_id, lane from found where status = 'queued' and not holds_slot) q
         join generations w on w.account_id = q.account_id and w.lane = q.lane and not w.blocked
          and w.status = 'queued' and not w.holds_slot
     ), free as (
       select a.id, a.dispatch_after > clock() as pausing, a.limit_overall, a.limit_image, a.limit_edit, a.limit_video,
              a.limit_overall - a.elsewhere_overall - count(h.id) as overall,
              a.limit_image - a.elsewhere_image - count(h.id) filter (where h.lane = 'image') as image,
              a.limit_edit - a.elsewhere_edit - count(h.id) filter (where h.lane = 'edit') as edit,
              a.limit_video - a.elsewhere_video - count(h.id) filter (where h.lane = 'video') as video
         from accounts a left join generations h on h.account_id = a.id and h.holds_slot
        where a.id in (select account_id from found where status = 'queued' and not holds_slot) group by a.id
     )
     select g.place::integer as place, ${packed} as packed, g.lane, g.blocked, g.holds_slot as "holdsSlot",
            coalesce(f.pausing, false) as pausing, f.overall::integer as "freeSlots",
            (case g.lane when 'image' then f.image when 'edit' then f.edit else f.video end)::integer as "freeLaneSlots",
            t.position::integer as position, t.of::integer as of, f.limit_overall as slots,
            case g.lane when 'image' then f.limit_image when 'edit' then f.limit_edit else f.limit_video end as "laneSlots",
            f.id is not null and exists (
              select 1 from unnest(array['image', 'edit', 'video']) as other (lane)
               where other.lane <> g.lane and exists (
                 select 1 from generations w where w.account_id = g.account_id and w.lane = other.lane
                    and not w.blocked and w.status = 'queued' and not w.holds_slot)) as "othersWait"
       from found g left join turns t on t.id = g.id left join free f on f.id = g.account_id`,
    [asked.map(({ id }) => id), asked.map(({ accountId }) => accountId)],
    'generations_read_live',
  );
  const found = Array.from<LiveRow | undefined>({ length: asked.length });
  for (const { place, packed: text, ...row } of rows) found[place - 1] = { ...row, generation: unpack(text) };
  return found;
}

/** Returns the ids of these generations whose status has changed. */
export async function readMoved(
  database: Database,
  known: readonly { id: string; status: string }[],
): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select known.id from unnest($1::text[], $2::text[]) as known (id, status)
      cross join lateral (select status from generations where id = known.id limit 1) g
      where g.status <> known.status`,
    [known.map(({ id }) => id), known.map(({ status }) => status)],
    'generations_read_moved',
  );
  return rows.map(({ id }) => id);
}

/** An account's slots: of one lane, or of all lanes where `lane` is null. */
export type SlotKey = { accountId: string; lane: Lane | null };

/**
 * Reads how many seconds the account's last generations held their slots: at most twenty, among the newest two hundred
 * that succeeded. A fifth took less than `low`, a fifth more than `high`. In the order of the keys.
 */
export async function readSlotTimes(database: Database, keys: readonly SlotKey[]): Promise<TimesRow[]> {
  return database.rows(
    `select count(t.seconds)::integer as count, percentile_cont(0.2) within group (order by t.seconds) as low,
            percentile_cont(0.8) within group (order by t.seconds) as high
       from unnest($1::text[], $2::text[]) with ordinality as asked (account_id, lane, place)
       left join lateral (
         select extract(epoch from n.completed_at - n.submitted_at)::double precision as seconds
           from (select lane, submitted_at, completed_at, created_at from generations
                  where account_id = asked.account_id and status = 'succeeded'
                  order by created_at desc, id desc limit 200) n
          where (asked.lane is null or n.lane = asked.lane) and n.submitted_at is not null
          order by n.created_at desc limit 20) t on true
      group by asked.place order by asked.place`,
    [keys.map(({ accountId }) => accountId), keys.map(({ lane }) => lane)],
    'generations_slot_times',
  );
}
