/**
 * How the peer is set up: one process for HTTP and webhooks, as ours is, and one for renders. These are first choices; none of them was
 * varied yet, so what is measured against them says nothing final.
 */
export const settings = {
  /** Of pg, per process: the same as ours. */
  poolSize: 10,
  /** Commands of one turn of the loop go to Redis together. */
  autoPipelining: true,
  /** Deliveries under way at once. */
  webhookConcurrency: 200,
  /** BullMQ's schedule: seven attempts, ever farther apart. */
  webhookAttempts: 7,
  webhookBackoffMs: 5_000,
  /** How long an endpoint may take: the same as ours. */
  webhookTimeoutMs: 10_000,
  /** Renders under way at once. */
  renderConcurrency: 50,
  /** Ended jobs that BullMQ keeps. */
  keptJobs: 1_000,
  ratePerMinute: 1_000_000,
} as const;

/** Durable as PostgreSQL is: what Redis said yes to is on the disk. */
export const redisArguments = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];

export const tables = `
  create table accounts (id text primary key, balance bigint not null);
  create table api_keys (sha256 text primary key, account_id text not null references accounts (id), budget bigint not null,
                         spent bigint not null default 0);
  create table generations (id text primary key, account_id text not null references accounts (id), status text not null,
                            body jsonb not null, created_at timestamptz not null default clock_timestamp(),
                            submitted_at timestamptz);
  create index on generations (account_id, created_at desc);
  create table endpoints (id text primary key, account_id text not null references accounts (id), url text not null,
                          secret text not null);
  create index on endpoints (account_id);
  create table deliveries (id text primary key, endpoint_id text not null references endpoints (id), status text not null,
                           attempts integer not null, updated_at timestamptz not null default clock_timestamp())`;
