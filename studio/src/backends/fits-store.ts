import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import { type BackendRow, rowColumns } from './store.ts';

/**
 * Takes the backends that are up and whose routes must be checked: after each publication, and every `everySeconds`.
 */
export async function takeDueChecks(
  database: Database,
  everySeconds: number,
): Promise<(BackendRow & { revision: number })[]> {
  return database.rows<BackendRow & { revision: number }>(
    `update backends b set next_check_at = clock() + $1 * interval '1 second', checked_revision = c.revision
     from catalog_revision c where b.name in (
       select name from backends, catalog_revision
       where not is_local and up and (next_check_at <= clock() or checked_revision < revision)
       for no key update of backends skip locked)
     returning ${rowColumns}, c.revision`,
    [everySeconds],
    'take_due_checks',
  );
}

/**
 * Makes the routes of a version due for a check at once, on every backend that it names. Local engines fit from now on.
 */
export async function checkNow(database: Database, model: string, version: number): Promise<void> {
  await database.execute(
    `update backends b set next_check_at = clock() where not is_local and exists (
       select from routes_on(b) o where o.model_id = $1 and o.version = $2)`,
    [model, version],
  );
  await database.rows('select fit_local_routes()');
}

/** Makes a check that failed due again after these seconds. */
export async function postponeCheck(database: Database, name: string, seconds: number): Promise<void> {
  await database.rows(
    `update backends set next_check_at = clock() + $2 * interval '1 second' where name = $1`,
    [name, seconds],
  );
}

export type RouteOn = {
  model_id: string;
  version: number;
  route: number;
  manifest: Manifest;
  source: string;
  files: Record<string, string>;
};

/**
 * Returns the routes that name a backend, of all versions that something may still be rendered with: first versions on
 * offer, then those that were, then drafts.
 */
export async function selectRoutesOn(database: Database, name: string): Promise<RouteOn[]> {
  return database.rows<RouteOn>(
    `select o.model_id, o.version, o.route, v.manifest, v.source, v.files
     from backends b, routes_on(b) o join model_versions v using (model_id, version) join models m on m.id = o.model_id
     where b.name = $1
     order by v.version is distinct from m.published_version, v.published_at is null, o.model_id, o.version, o.route`,
    [name],
    'select_routes_on',
  );
}

/** `unasked`: the backend could not be asked; `problems` then count only if nothing is known of the route yet. */
export type Fit = {
  model_id: string;
  version: number;
  route: number;
  problems: readonly Problem[];
  unasked?: boolean;
};

/**
 * Stores what the check found, in addition to the errors that renders met there. Removes routes that no longer name the
 * backend. Returns how many changed.
 */
export async function replaceFits(
  database: Database,
  backend: string,
  fits: readonly Fit[],
): Promise<number> {
  const [row] = await database.rows<{ changed: number }>(
    `with found as (
       select * from jsonb_to_recordset($2)
         as f (model_id text, version integer, route integer, problems jsonb, unasked boolean)
     ), gone as (
       delete from route_fits f where f.backend = $1 and not exists (
         select from found n where (n.model_id, n.version, n.route) = (f.model_id, f.version, f.route)) returning 1
     ), written as (
       insert into route_fits as f (backend, model_id, version, route, fits, problems)
       select $1, model_id, version, route, problems = '[]', problems from found where unasked is not true
       on conflict (backend, model_id, version, route) do update set fits = excluded.fits and f.fault is null,
         problems = excluded.problems || case when f.fault is null then '[]' else jsonb_build_array(f.fault) end,
         checked_at = clock()
       where (f.fits, f.problems) is distinct from (excluded.fits and f.fault is null,
         excluded.problems || case when f.fault is null then '[]' else jsonb_build_array(f.fault) end)
       returning 1
     ), unknown as (
       insert into route_fits (backend, model_id, version, route, fits, problems)
       select $1, model_id, version, route, false, problems from found where unasked
       on conflict do nothing returning 1
     )
     select ((select count(*) from gone) + (select count(*) from written) + (select count(*) from unknown))::integer as changed`,
    [backend, JSON.stringify(fits)],
    'replace_fits',
  );
  return row?.changed ?? 0;
}

/** Updates the routes of local engines, and the pauses of models. Returns whether something changed. */
export async function fitAndPause(database: Database): Promise<boolean> {
  const [fitted] = await database.rows<{ changed: number }>(
    'select fit_local_routes() as changed',
    [],
    'fit_local_routes',
  );
  const [paused] = await database.rows<{ changed: number }>(
    'select pause_models() as changed',
    [],
    'pause_models',
  );
  return (fitted?.changed ?? 0) + (paused?.changed ?? 0) > 0;
}
