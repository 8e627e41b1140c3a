import path from 'node:path';

/** The directory of the SQL for the studio's tables and functions. */
export const sqlDirectory = path.join(import.meta.dirname, '..', 'sql');
