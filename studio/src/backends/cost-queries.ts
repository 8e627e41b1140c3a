import type { Settle } from '@renderkit/engine-kit/full-check.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';

/**
 * Reserves money of a provider for a job that belongs to no render. `studio/sql/functions/begin_submission.sql`
 * reserves it for jobs of renders. Returns a function that books the money as spent or gives it back. Returns a
 * sentence for an operator if the backend's limit of the day does not allow the job, or if today's costs are in another
 * currency.
 */
export async function reserveCost(
  database: Database,
  { backend, amount, currency }: { backend: string; amount: number; currency: string },
): Promise<Settle | string> {
  const [row] = await database.rows<{ day: string; is_reserved: boolean }>(
    `select today.day::text, reserve_cost($1, today.day, $2, $3) as is_reserved
     from (select (clock() at time zone 'UTC')::date as day) today`,
    [backend, currency, amount],
  );
  if (row?.is_reserved !== true) {
    const [booked] = await database.rows<{ currency: string }>(
      'select currency from provider_costs where backend = $1 and day = $2 and currency <> $3',
      [backend, row?.day, currency],
    );
    return booked === undefined
      ? "the backend's limit of the day does not allow another job."
      : `what the backend cost today is in ${booked.currency}, and a job of the check costs ${currency}.`;
  }
  return async (isSpent) => {
    await database.execute(
      `update provider_costs set reserved = reserved - $3::numeric, spent = spent + case when $4 then $3::numeric else 0 end
       where backend = $1 and day = $2`,
      [backend, row.day, amount, isSpent],
    );
  };
}

/** What a provider was paid on a day, and what users paid for its outputs. Money of the provider in its currency. */
export type ProviderCost = {
  /** UTC, `2026-11-22`. */
  day: string;
  backend: string;
  currency: string;
  /** For jobs that have ended, full checks included: as billed, or as quoted. */
  spent: number;
  /** Reserved for jobs that run, and for jobs of which it is unknown whether they were made. */
  reserved: number;
  jobs: number;
  /** What users paid for the outputs of this day's jobs, less refunds. */
  credits: number;
  /** `credits` in the provider's currency; `null` if a credit has no worth in it. */
  credits_worth: number | null;
};

/**
 * Returns the costs of the last days, today included, newest first. A render that several backends made counts at each
 * by the outputs that it made there.
 */
export async function listProviderCosts(database: Database, days: number): Promise<ProviderCost[]> {
  return database.rows<ProviderCost>(
    `with booked as (
       select * from provider_costs where day > (clock() at time zone 'UTC')::date - $1::integer
     ), made as (
       select s.backend, s.cost_day, r.account_id, r.token,
         jsonb_array_length(s.made)::numeric / nullif(r.outputs_done, 0) as share
       from submissions s join renders r on r.id = s.render_id
       where s.made is not null and s.cost_day in (select day from booked)
     ), paid as (
       select m.backend, m.cost_day, sum(m.share * l.millicredits) / 1000 as credits
       from made m cross join lateral (
         select -sum(amount_millicredits) as millicredits from ledger l
         where l.account_id = m.account_id and l.token = m.token) l
       group by 1, 2
     )
     select b.day::text, b.backend, b.currency, b.spent::float8, b.reserved::float8, b.jobs,
       round(coalesce(p.credits, 0), 3)::float8 as credits,
       round(coalesce(p.credits, 0) * v.per_credit, 6)::float8 as credits_worth
     from booked b
     left join paid p on p.backend = b.backend and p.cost_day = b.day
     left join credit_value v on v.currency = b.currency
     order by b.day desc, b.backend`,
    [days],
  );
}
