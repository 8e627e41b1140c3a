/**
 * Returns PostgreSQL's settings. `prepareDatabase` in `stack/src/databases.ts` refuses external databases without the
 * settings that must be on.
 * @param socketDirectory where the unix socket lies; `undefined` (Windows) means loopback TCP on `port`.
 */
export function serverSettings(options: {
  socketDirectory: string | undefined;
  port: number;
}): Record<string, string> {
  return {
    ...(options.socketDirectory === undefined
      ? { listen_addresses: '127.0.0.1' }
      : {
          listen_addresses: '',
          unix_socket_directories: options.socketDirectory,
          // Only the server's account and root may connect; nobody else needs to.
          unix_socket_permissions: '0700',
        }),
    port: String(options.port),
    password_encryption: 'scram-sha-256',

    // Everything answered with 202 must survive a power cut.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',

    timezone: 'UTC',
    log_timezone: 'UTC',
    datestyle: 'ISO, YMD',

    // Services, workers and the feed have pools of ten; idle connections are cheap.
    max_connections: '200',
    // Enough for the hot tables and indexes of some million rows, and small enough for a laptop; memory is allocated on
    // first use.
    shared_buffers: '192MB',
    // All statements are short: compiling one costs more than it saves.
    jit: 'off',
    // Full-page images dominate the log of small commits; compression reduces them to a third.
    wal_compression: 'on',
    max_wal_size: '1GB',
    // Data lies on SSDs or in the cache, so random reads cost little more than sequential ones.
    random_page_cost: '1.1',
    // Queue and rate rows are short-lived: checked often, vacuumed early.
    autovacuum_naptime: '15s',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_vacuum_insert_scale_factor: '0.1',
    autovacuum_analyze_scale_factor: '0.05',
    // A statement whose client died is stopped instead of running to its end (not possible on Windows).
    ...(process.platform !== 'win32' && { client_connection_check_interval: '5s' }),

    // Standard error goes to the stack's log file, which the stack rotates.
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '%m [%p] %q%u@%d ',
    log_min_duration_statement: '1s',
    // A statement's values may contain text of users.
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    log_checkpoints: 'off',
  };
}
