import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type AccountFacts, accountFacts } from './queries.ts';

export type AuthenticatedRow = {
  client_id: string | null;
  maintenance: boolean;
  /** Seconds since 1970 by the database's clock. */
  now_seconds: number;
  account: AccountFacts | null;
};

/**
 * Checks all tokens of one turn in one statement. It looks up each token and the token's grant by primary key, so that
 * no token works after its grant is revoked. Returns rows in the order of `tokens`. `account` is `null` when the token
 * is unknown, expired or revoked.
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
