import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { comfyBackend } from './comfyui.ts';
import type { LoadAccount } from './load.ts';

/** A generation as the API shows it. */
export type SeenGeneration = {
  id: string;
  status: string;
  cost: { credits: number };
  metadata: Record<string, string>;
  outputs: unknown[];
  error: { code: string } | null;
  created_at: string;
  submitted_at: string | null;
  completed_at: string | null;
};

/** What the studio's database has at the end of a run. `invariants.ts` checks it. */
export type StudioEvidence = {
  /** What was charged and refunded per token, in 1/1000 credit. */
  money: Map<string, { charged: number; refunded: number; charges: number }>;
  renders: { accountId: string; token: string; status: string; lane: string }[];
  /** The feed in its order, which is the order of the transactions under the account's lock. */
  moves: { accountId: string; seq: number; token: string; status: string; lane: string }[];
  limits: Map<string, { image: number; edit: number; video: number; overall: number }>;
  /** Accounts and buckets whose balance is not the sum of their entries. */
  unbalanced: { accountId: string; bucket: string; balance: number; sum: number }[];
  balances: Map<string, number>;
  /** The rows of submissions to the ComfyUI, which are committed before the submission is sent. */
  submissions: SeenSubmission[];
  /** The sum of costs that are recorded for the provider. */
  providerCosts: { reserved: number; spent: number; jobs: number };
};

export type SeenSubmission = {
  id: string;
  /** The token of the render; null for a sample of the model, which no account requested. */
  token: string | null;
  state: string;
  error: string | null;
  /** The provider's price, as quoted or as known. */
  cost: number;
  made: number;
};

/** Returns every generation of an account, read page by page with one of its keys. */
export async function readGenerations(baseUrl: string, account: LoadAccount): Promise<SeenGeneration[]> {
  const all: SeenGeneration[] = [];
  for (let page = 1; ; page++) {
    const answer = await getJson(
      `${baseUrl}/v1/generations?page=${page}&limit=100`,
      account.keys[0]?.key ?? '',
    );
    const list = answer as { data: SeenGeneration[]; has_more: boolean };
    all.push(...list.data);
    if (!list.has_more) return all;
  }
}

/** Returns the account's spendable credits from the API. */
export async function readBalance(baseUrl: string, account: LoadAccount): Promise<number> {
  const answer = await getJson(`${baseUrl}/v1/account/balance`, account.keys[0]?.key ?? '');
  return (answer as { balance: number }).balance;
}

async function getJson(url: string, key: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(15_000),
  });
  if (response.status !== 200)
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Reads the studio's own database. */
export async function readStudio(databaseUrl: string): Promise<StudioEvidence> {
  await using database = openDatabase({
    url: databaseUrl,
    applicationName: 'evidence',
    poolSize: 2,
    statementTimeoutMs: 60_000,
  });
  const ledger = await database.rows<{ token: string; kind: string; amount: number }>(
    `select token, kind, abs(amount_millicredits) as amount from ledger where token is not null`,
  );
  const money: StudioEvidence['money'] = new Map();
  for (const { token, kind, amount } of ledger) {
    const entry = money.get(token) ?? { charged: 0, refunded: 0, charges: 0 };
    if (kind === 'charge') {
      entry.charged += amount;
      entry.charges++;
    } else entry.refunded += amount;
    money.set(token, entry);
  }
  const accounts = await database.rows<{
    id: string;
    image: number;
    edit: number;
    video: number;
    overall: number;
    balance: number;
  }>(
    `select id, limit_image as image, limit_edit as edit, limit_video as video, limit_overall as overall,
       monthly_millicredits + lifetime_millicredits as balance from accounts`,
  );
  return {
    money,
    renders: await database.rows(
      `select account_id as "accountId", token, status, coalesce(lane, '') as lane from renders`,
    ),
    moves: await database.rows(
      `select c.account_id as "accountId", c.seq, c.token, c.render->>'status' as status, r.lane
       from changes c join renders r on r.account_id = c.account_id and r.token = c.token
       where c.type = 'render' order by c.account_id, c.seq`,
    ),
    limits: new Map(accounts.map((account) => [account.id, account])),
    unbalanced: await database.rows(
      `select a.id as "accountId", b.bucket, b.balance, coalesce(sum(l.amount_millicredits), 0) as sum
       from accounts a
       cross join lateral (values ('monthly', a.monthly_millicredits), ('lifetime', a.lifetime_millicredits)) b (bucket, balance)
       left join ledger l on l.account_id = a.id and l.bucket = b.bucket
       group by 1, 2, 3 having b.balance <> coalesce(sum(l.amount_millicredits), 0)`,
    ),
    balances: new Map(accounts.map((account) => [account.id, account.balance])),
    submissions: await database.rows<SeenSubmission>(
      `select s.id, r.token, s.state, s.error->>'code' as error, s.cost::float8 as cost,
         coalesce(jsonb_array_length(s.made), 0) as made
       from submissions s left join renders r on r.id = s.render_id where s.backend = $1`,
      [comfyBackend],
    ),
    providerCosts: (
      await database.rows<StudioEvidence['providerCosts']>(
        `select coalesce(sum(reserved), 0)::float8 as reserved, coalesce(sum(spent), 0)::float8 as spent,
           coalesce(sum(jobs), 0)::integer as jobs from provider_costs where backend = $1`,
        [comfyBackend],
      )
    )[0] ?? { reserved: 0, spent: 0, jobs: 0 },
  };
}
