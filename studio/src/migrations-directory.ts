import path from 'node:path';

/** Where the studio's numbered .sql files lie. */
export const migrationsDirectory = path.join(import.meta.dirname, '..', 'migrations');
