/**
 * How the peer is set up: one process for HTTP and webhooks, as ours is, and one for renders. Varied, two quick rounds each, and what
 * was best for it was kept: connections (10, 20), commands of Redis with automatic pipelining and without, deliveries at once (200, 500,
 * 1,000) and renders at once (50, 200). It answers a read with the text of the database, which it neither parses nor writes again.
 */
export const settings = {
  /** Of pg, per process; ours has 10, and 20 make this one faster. */
  poolSize: 20,
  /** Commands of one turn of the loop go to Redis together: creates stay as they are, webhooks are twice as fast. */
  autoPipelining: true,
  /** Deliveries under way at once. Those to the endpoint that never answers hold their places for the whole time-out: 200 were too few, 1,000 no better. */
  webhookConcurrency: 500,
  /** BullMQ's schedule: seven attempts, ever farther apart. */
  webhookAttempts: 7,
  webhookBackoffMs: 5_000,
  /** How long an endpoint may take: the same as ours. */
  webhookTimeoutMs: 10_000,
  /** Renders under way at once. */
  renderConcurrency: 200,
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
