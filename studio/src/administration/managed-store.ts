import type {
  ManagedBackend,
  RenderErrorsAnswer,
} from '@renderkit/contract/studio/administration/backends.ts';
import type { ManagedModelDetail } from '@renderkit/contract/studio/administration/models.ts';
import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import type { Static } from 'typebox';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import type { ImportFindings } from '@renderkit/manifests/parameters.ts';
import { type ListedModel, obstacle } from './store.ts';

/** How many of a backend's jobs of the last day its times are computed from. */
const maxJobsLookedAt = 1_000;

/**
 * Returns everything that administrators see of backends, those of operators first. The times come from at most
 * `maxJobsLookedAt` of each backend's newest jobs, by an index of jobs that ended well. So the cost does not grow with
 * more jobs or days.
 */
export async function selectManagedBackends(queryable: Queryable, name?: string): Promise<ManagedBackend[]> {
  const rows = await queryable.rows<{ backend: ManagedBackend }>(
    `select backend_json(b)::jsonb || jsonb_build_object(
         'is_local', b.is_local, 'built_in', b.built_in, 'version', b.version, 'vram_bytes', b.vram_bytes,
         'last_fault', b.last_fault - 'blame', 'max_cost_per_day', b.max_cost_per_day, 'currency', b.currency,
         'allow_loss', b.allow_loss, 'has_secret', b.secret is not null, 'has_headers', b.headers is not null,
         'loaded', coalesce(l.models, '[]'), 'times', coalesce(t.times, '[]')) as backend
     from backends b
     left join lateral (
       select jsonb_agg(distinct m.id) as models
       from models m join routes r on (r.model_id, r.version) = (m.id, m.published_version)
       where r.engine = b.engine and r.affinity = b.loaded) l on true
     left join lateral (
       select jsonb_agg(jsonb_build_object('model', model, 'jobs', jobs, 'median_wait_seconds', wait,
         'median_run_seconds', run) order by jobs desc, model) as times
       from (
         select s.model_id as model, count(*)::integer as jobs,
           percentile_cont(0.5) within group (order by extract(epoch from s.created_at - r.accepted_at))
             filter (where s.first_output = 0) as wait,
           percentile_cont(0.5) within group (order by s.run_seconds) as run
         from (
           select model_id, render_id, first_output, created_at, run_seconds from submissions
           where backend = b.name and state = 'done' and ended_at > clock() - interval '1 day'
           order by ended_at desc limit ${maxJobsLookedAt}) s
         left join renders r on r.id = s.render_id
         group by s.model_id) of_models) t on true
     where $1::text is null or b.name = $1
     order by b.built_in, b.name`,
    [name ?? null],
    'select_managed_backends',
  );
  return rows.map(({ backend }) => backend);
}

export type RenderErrorRow = Static<typeof RenderErrorsAnswer>['faults'][number];

const maxErrors = 100;

/** Returns why jobs of a render failed, in an operator's words; none if the account has no such render. */
export function selectRenderErrors(
  queryable: Queryable,
  account: string,
  token: string,
): Promise<RenderErrorRow[]> {
  return queryable.rows<RenderErrorRow>(
    `select iso_time(s.ended_at) as at, s.backend, s.error->>'code' as code, s.error->>'stage' as stage,
       s.error->>'reason' as reason
     from renders r join submissions s on s.render_id = r.id
     where r.account_id = $1 and r.token = $2 and s.state = 'failed' and s.error is not null
     order by s.ended_at limit ${maxErrors}`,
    [account, token],
  );
}

/** Counts accounts by the key of their plan, without deleted accounts. */
export async function countAccountsOfPlans(queryable: Queryable): Promise<Record<string, number>> {
  const [row] = await queryable.rows<{ accounts: Record<string, number> }>(
    `select coalesce(json_object_agg(tier, accounts), '{}') as accounts from (
       select tier, count(*)::integer as accounts from accounts where deleted_at is null group by tier) of_plans`,
  );
  return row?.accounts ?? {};
}

export type ManagedModelRow = ListedModel & {
  built_in: boolean;
  /** Why an administrator paused it; `null` if none did. */
  pause_asked: string | null;
  thumbnail_key: string | null;
  /** Backends on which one of its routes works. */
  fits_on: string[];
};

/** Returns every model in the order of the catalog, or only the one with this id. */
export async function selectManagedModels(queryable: Queryable, id?: string): Promise<ManagedModelRow[]> {
  return queryable.rows<ManagedModelRow>(
    `select m.id, m.published_version, m.newest_version, m.retired_at is not null as retired, ${obstacle}, v.manifest,
       m.built_in, m.pause_asked, v.thumbnail_key, array(
         select distinct f.backend from route_fits f
         where f.model_id = m.id and f.version = v.version and f.fits order by f.backend) as fits_on
     from models m join model_versions v
       on v.model_id = m.id and v.version = coalesce(m.published_version, m.newest_version)
     where $1::text is null or m.id = $1
     order by m.position`,
    [id ?? null],
  );
}

export type VersionEntry = Omit<ManagedModelDetail['versions'][number], 'thumbnail'> & {
  thumbnail_key: string | null;
};

const maxVersions = 1_000;

/** Newest first. */
export async function selectVersionEntries(queryable: Queryable, id: string): Promise<VersionEntry[]> {
  return queryable.rows<VersionEntry>(
    `select version, iso_time(created_at) as created_at, iso_time(published_at) as published_at, manifest->'price' as price,
       manifest->'suites' as suites, thumbnail_key, sample_seconds::float8 as sample_seconds
     from model_versions where model_id = $1 order by version desc limit ${maxVersions}`,
    [id],
  );
}

export type WholeVersion = VersionEntry & {
  manifest: Manifest;
  source: string;
  files: Record<string, string>;
  /** `null` if it was added as a manifest. */
  imported: ImportFindings | null;
};

export async function findWholeVersion(
  queryable: Queryable,
  id: string,
  version: number,
): Promise<WholeVersion | undefined> {
  const [row] = await queryable.rows<WholeVersion>(
    `select version, iso_time(created_at) as created_at, iso_time(published_at) as published_at, manifest->'price' as price,
       manifest->'suites' as suites, thumbnail_key, sample_seconds::float8 as sample_seconds, manifest, source, files,
       imported
     from model_versions where model_id = $1 and version = $2`,
    [id, version],
  );
  return row;
}
