import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Bucket } from './store.ts';

export type LedgerDifference = {
  account_id: string;
  bucket: Bucket;
  opening_millicredits: number;
  grants_millicredits: number;
  charges_millicredits: number;
  refunds_millicredits: number;
  adjustments_millicredits: number;
  expiries_millicredits: number;
  balance_millicredits: number;
};

/**
 * Returns the rows where opening + grants − charges + refunds (± adjustments − expiries) differs from the balance.
 * There must be none.
 */
export async function checkLedger(database: Database): Promise<LedgerDifference[]> {
  return database.rows<LedgerDifference>(`
    with sums as (
      select a.id as account_id, b.bucket,
        case b.bucket when 'monthly' then a.monthly_millicredits else a.lifetime_millicredits end as balance_millicredits,
        coalesce(sum(l.amount_millicredits) filter (where l.kind = 'opening'), 0) as opening_millicredits,
        coalesce(sum(l.amount_millicredits) filter (where l.kind = 'grant'), 0) as grants_millicredits,
        coalesce(-sum(l.amount_millicredits) filter (where l.kind = 'charge'), 0) as charges_millicredits,
        coalesce(sum(l.amount_millicredits) filter (where l.kind = 'refund'), 0) as refunds_millicredits,
        coalesce(sum(l.amount_millicredits) filter (where l.kind = 'adjustment'), 0) as adjustments_millicredits,
        coalesce(-sum(l.amount_millicredits) filter (where l.kind = 'expiry'), 0) as expiries_millicredits,
        count(l.seq) as entries, a.ledger_seq,
        (select count(*) from ledger every where every.account_id = a.id) as account_entries
      from accounts a cross join (values ('monthly'), ('lifetime')) as b (bucket)
      left join ledger l on l.account_id = a.id and l.bucket = b.bucket
      group by a.id, b.bucket
    )
    select account_id, bucket, opening_millicredits, grants_millicredits, charges_millicredits, refunds_millicredits,
      adjustments_millicredits, expiries_millicredits, balance_millicredits
    from sums
    where opening_millicredits + grants_millicredits - charges_millicredits + refunds_millicredits
        + adjustments_millicredits - expiries_millicredits <> balance_millicredits
      or account_entries <> ledger_seq
    order by account_id, bucket`);
}

export type LedgerEntry = {
  seq: number;
  kind: string;
  bucket: Bucket;
  amount_millicredits: number;
  balance_after_millicredits: number;
  token: string | null;
  created_at: string;
};

export async function ledgerOf(database: Database, account: string): Promise<LedgerEntry[]> {
  return database.rows<LedgerEntry>(
    `select seq, kind, bucket, amount_millicredits, balance_after_millicredits, token, iso_time(created_at) as created_at
     from ledger where account_id = $1 order by seq`,
    [account],
  );
}
