import type { Route } from '@renderkit/engine-kit/route.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type BackendRow, selectBackends } from './store.ts';

/** The backends of a route's engine that have a name or label that it wants. */
export async function findBackendsOf(
  database: Database,
  { engine, on }: Pick<Route, 'engine' | 'on'>,
): Promise<BackendRow[]> {
  const rows = await selectBackends(database);
  return rows.filter(
    (row) => row.engine === engine && [row.name, ...row.labels].some((name) => on.includes(name)),
  );
}

/** Why a route has no backend, in an operator's words. */
export function whyNowhere({ engine, on }: Pick<Route, 'engine' | 'on'>): string {
  return `No backend of the engine ${engine} has the name or label ${on.join(' or ')}: add one with backend add.`;
}
