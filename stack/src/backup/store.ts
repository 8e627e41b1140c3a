import { Client } from 'pg';

export type BaseBackup = AsyncDisposable & {
  /** Ends the backup. Store `label` in the copy as `backup_label`; the copy needs the log files named here. */
  finish: () => Promise<{ label: string; firstLogFile: string; lastLogFile: string }>;
};

/**
 * Begins a base backup of a running cluster. The files copied from now until `finish`, with the write-ahead log written
 * meanwhile, form a complete cluster. If this process dies, the backup ends with its connection.
 */
export async function beginBaseBackup(superuserUrl: string): Promise<BaseBackup> {
  const client = new Client({ connectionString: superuserUrl, application_name: 'backup' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    // Keeps the server from recycling the log during the backup. The slot is temporary and disappears with the
    // connection.
    await client.query(
      `select pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)`,
    );
    await client.query(`select pg_backup_start('renderkit', true)`);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    finish: async () => {
      const { rows } = await client.query<{ label: string; lastLogFile: string }>(
        // The log file that contains byte lsn - 1: at the end of a file, pg_walfile_name returns the next one.
        `select labelfile as label, pg_walfile_name(lsn - 1) as "lastLogFile" from pg_backup_stop(false)`,
      );
      const [row] = rows;
      const firstLogFile = /START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/.exec(row?.label ?? '')?.[1];
      if (row === undefined || firstLogFile === undefined) throw new Error('PostgreSQL gave no backup label');
      return { ...row, firstLogFile };
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
