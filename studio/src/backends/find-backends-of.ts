import type { Route } from '@renderkit/engine-kit/route.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type BackendRow, selectBackends } from './store.ts';

/**
 * Returns the backends of a route's engine that have a name or label of the route. `studio/sql/functions/routes_on.sql`
 * has the same rule for the routes of a backend.
 */
export async function findBackendsOf(
  database: Database,
  { engine, on }: Pick<Route, 'engine' | 'on'>,
): Promise<BackendRow[]> {
  const rows = await selectBackends(database);
  return rows.filter(
    (row) => row.engine === engine && [row.name, ...row.labels].some((name) => on.includes(name)),
  );
}

/** Explains to an operator why a route has no backend. */
export function whyNowhere({ engine, on }: Pick<Route, 'engine' | 'on'>): string {
  return `No backend of the engine ${engine} has the name or label ${on.join(' or ')}: add one with backend add.`;
}
