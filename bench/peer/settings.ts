/**
 * How the peer is set up: one process for HTTP and webhooks, as ours is, and one for renders. The alternatives were
 * measured in turn on two cores at a load of 11 to 18, where rates of one setting differ by a factor of three. CPU is
 * the steadier figure: seconds of the peer's own process per 1,000. The figures are medians of the rounds. On a quiet
 * machine the alternatives have not been compared.
 *
 * - A create, four rounds. One statement: 698 a second, 0.31 CPU s. A transaction of five round trips cost more,
 *   whether it inserts first (462, 0.47) or last (478, 0.46).
 * - A read, six rounds. With keys cached for a second: 1,916 a second, 0.20 CPU s; without: 1,322 and 0.28. Asking for
 *   the limit and the row in parallel was slower in seven of nine rounds (723 a second and 0.28, against 1,567 and
 *   0.20): so the limit comes first.
 * - Connections, four rounds of creates: 629 a second with 10, 698 with 20, 570 with 40; 0.32, 0.31 and 0.36 CPU s.
 *   Three rounds of reads showed no difference.
 * - Deliveries in progress at the same time: see `webhookConcurrency`.
 * - Outcomes of deliveries, one full run each. Those of 10 ms written together: 0.22 CPU s, and PostgreSQL 0.009; each
 *   by itself: 0.30 and 0.098; none for deliveries that succeed: 0.27 and 0.004. Writing none has no visible gain, and
 *   an operator would miss them.
 * - Ended jobs, one full run each: Redis takes 0.116 CPU s if none are kept and 0.171 if a thousand are kept.
 * - Sending the commands of one turn of the loop to Redis together made webhooks twice as fast in an earlier
 *   measurement, and 200 parallel renders were better than 50; neither was measured again.
 */
export const settings = {
  /** Connections of pg per process; ours has 10. */
  poolSize: 20,
  autoPipelining: true,
  /** In milliseconds: after this time a removed key is refused. */
  keysKeptMs: 1_000,
  /**
   * Deliveries in progress at the same time. Those to the endpoint that never answers keep their places for the whole
   * time-out: 500 of them by the end of a full run. Full runs, in the order of their rounds: 740, 1,640, 760 and 947 a
   * second with 500 (0.25 CPU s); 639, 464, 608 and 754 with 1,000 (0.28); 486 and 450 with 2,000 (0.31).
   */
  webhookConcurrency: 500,
  /** Milliseconds for which outcomes are collected before one statement writes them. */
  recordMs: 10,
  /** BullMQ's schedule: seven attempts, ever farther apart. */
  webhookAttempts: 7,
  webhookBackoffMs: 5_000,
  /** How long an endpoint may take: the same as ours. */
  webhookTimeoutMs: 10_000,
  /** Renders in progress at the same time. */
  renderConcurrency: 200,
  ratePerMinute: 1_000_000,
} as const;

/** As durable as PostgreSQL: what Redis has confirmed is on the disk. */
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
