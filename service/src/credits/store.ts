import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';

type Asked = { accountId: string; ledgerSeq: number };

const batchSize = 200;
const batchesInFlight = 2;

/** Reads reservations. Requests of one turn of the event loop share one statement. */
export type ReadReserved = (asked: Asked) => Promise<Reserved>;

type Reserved = {
  /** In 1/1000 credit. */
  reserved: number;
  /** Generations that were submitted but whose charge is not recorded yet: they may be counted twice. */
  unconfirmed: string[];
};

/**
 * Makes the reader of what an account's generations will still take from a balance, in 1/1000 credit. The balance
 * includes the studio's ledger up to an entry. A generation counts when it is accepted and not charged, or charged
 * after that entry and not refunded. The function spendable_balances has the same conditions (sql/functions): a change
 * belongs in both.
 */
export function createReservedReader(database: Database): ReadReserved {
  return createBatcher<Asked, Reserved>({
    run: async (asked) => {
      const rows = await database.rows<{ reserved: number; unconfirmed: string }>(
        `select coalesce(a.uncharged_millicredits, 0) + coalesce(charged.cost, 0) as reserved,
                coalesce(unconfirmed.ids, '') as unconfirmed
           from unnest($1::text[], $2::bigint[]) with ordinality as asked (account_id, ledger_seq, place)
           left join lateral (
             select uncharged_millicredits from accounts where id = asked.account_id limit 1) a on true
           left join lateral (
             select sum(g.cost_millicredits)::bigint as cost from generations g
              where g.account_id = asked.account_id and g.charge_ledger_seq > asked.ledger_seq
                and g.status in ('running', 'succeeded')) charged on true
           left join lateral (
             select string_agg(g.id, ',') as ids from generations g
              where g.account_id = asked.account_id and g.submit_sent_at is not null
                and g.charge_ledger_seq is null and g.status = 'queued') unconfirmed on true
          order by asked.place`,
        [asked.map(({ accountId }) => accountId), asked.map(({ ledgerSeq }) => ledgerSeq)],
        'credits_reserved',
      );
      return rows.map((row) => ({
        reserved: row.reserved,
        unconfirmed: row.unconfirmed === '' ? [] : row.unconfirmed.split(','),
      }));
    },
    maxSize: batchSize,
    maxInFlight: batchesInFlight,
    isHopeless: isDatabaseUnavailable,
  });
}
