import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';

export type KnownFits = {
  version: string | null;
  routes: { id: string; route: string; fits: boolean; problems: Problem[] }[];
};

/** Returns what is known about the offered routes that name this backend. `check-routes.ts` finds it. */
export async function selectFits(database: Database, name: string): Promise<KnownFits> {
  const [row] = await database.rows<KnownFits>(
    `select b.version, coalesce((
       select json_agg(json_build_object('id', f.model_id, 'route', o.name, 'fits', f.fits, 'problems', f.problems)
         order by f.model_id, f.route)
       from route_fits f join routes o using (model_id, version, route)
       join models m on m.id = f.model_id and m.published_version = f.version
       where f.backend = b.name), '[]'::json) as routes
     from backends b where b.name = $1`,
    [name],
  );
  return row ?? { version: null, routes: [] };
}
