import path from 'node:path';

/** Where the studio's tables and functions stand as SQL. */
export const sqlDirectory = path.join(import.meta.dirname, '..', 'sql');
