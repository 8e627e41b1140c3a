export const settings = {
  poolSize: 20,
  autoPipelining: true,
  webhookConcurrency: 1_000,
  webhookAttempts: 7,
  webhookBackoffMs: 5_000,
  webhookTimeoutMs: 10_000,
  renderConcurrency: 200,
  removeOnComplete: true as boolean | number,
  ratePerMinute: 1_000_000,
  keysKeptMs: 1_000,
  limitBeside: true,
  recordMs: 10,
  record: 'batch',
  createBy: 'statement',
  ...(JSON.parse(process.env['PEER'] ?? '{}') as object),
};

/** Durable as PostgreSQL is: what Redis said yes to is on the disk. */
export const redisArguments = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];

export const tables = `
  create table accounts (id text primary key, balance bigint not null);
  create table api_keys (sha256 text primary key, account_id text not null references accounts (id), budget bigint not null,
                         spent bigint not null default 0);
  create table generations (id text primary key, account_id text not null references accounts (id), status text not null,
                            body text not null, created_at timestamptz not null default clock_timestamp(),
                            submitted_at timestamptz);
  create index on generations (account_id, created_at desc);
  create table endpoints (id text primary key, account_id text not null references accounts (id), url text not null,
                          secret text not null);
  create index on endpoints (account_id);
  create table deliveries (id text primary key, endpoint_id text not null references endpoints (id), status text not null,
                           attempts integer not null, updated_at timestamptz not null default clock_timestamp())`;
