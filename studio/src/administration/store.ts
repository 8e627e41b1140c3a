import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import type { Queryable } from '@renderkit/server-kit/db/database.ts';
import type { CatalogLists } from '../catalog/snapshot.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import type { ImportFindings } from '@renderkit/manifests/parameters.ts';

export type ListedModel = {
  id: string;
  published_version: number | null;
  newest_version: number;
  retired: boolean;
  /** Why it is paused, or why nothing could make a draft now. */
  obstacle: string | null;
  /** The manifest of the published version, else of the newest. */
  manifest: Manifest;
};

/** For a query with the table `models` under the alias `m`. */
export const obstacle = `case when m.published_version is not null then m.paused_reason
  when m.retired_at is null then pause_reason(m.id, m.newest_version) end as obstacle`;

export function selectModels(database: Queryable): Promise<ListedModel[]> {
  return database.rows<ListedModel>(
    `select m.id, m.published_version, m.newest_version, m.retired_at is not null as retired, ${obstacle}, v.manifest
     from models m join model_versions v
       on v.model_id = m.id and v.version = coalesce(m.published_version, m.newest_version)
     order by m.position`,
  );
}

export type StoredVersion = {
  version: number;
  manifest: Manifest;
  source: string;
  files: Readonly<Record<string, string>>;
  /** Seconds that a sample took; `null` if there is none. */
  sample_seconds: number | null;
  thumbnail_key: string | null;
  /** `null` if it was added as a manifest. */
  imported: ImportFindings | null;
};

const versionColumns = `v.version, v.manifest, v.source, v.files, v.thumbnail_key, v.imported,
  v.sample_seconds::float8 as sample_seconds`;

/** Returns the newest version of a model, and the one on offer if there is one. */
export async function findVersions(
  database: Queryable,
  model: string,
): Promise<{ newest: StoredVersion; published: StoredVersion | undefined } | undefined> {
  const rows = await database.rows<StoredVersion & { is_published: boolean }>(
    `select ${versionColumns}, v.version is not distinct from m.published_version as is_published
     from models m join model_versions v
       on v.model_id = m.id and v.version in (m.newest_version, coalesce(m.published_version, m.newest_version))
     where m.id = $1 order by v.version desc`,
    [model],
  );
  const [newest] = rows;
  return newest && { newest, published: rows.find((row) => row.is_published) };
}

export async function findVersion(
  database: Queryable,
  model: string,
  version: number,
): Promise<StoredVersion | undefined> {
  const [row] = await database.rows<StoredVersion>(
    `select ${versionColumns} from model_versions v where v.model_id = $1 and v.version = $2`,
    [model, version],
  );
  return row;
}

/** Returns whether any backend has a name or label that a route of the version names. */
export async function hasBackend(database: Queryable, model: string, version: number): Promise<boolean> {
  const rows = await database.rows(
    `select from routes o join backends b on b.engine = o.engine and (b.name = any(o.backends) or b.labels && o.backends)
     where o.model_id = $1 and o.version = $2 limit 1`,
    [model, version],
  );
  return rows.length > 0;
}

export type RouteFit = {
  id: string;
  route: string;
  engine: Route['engine'];
  wanted: string[];
  /** `null`: no backend has a name or label that the route names. */
  backend: string | null;
  /** `null`: not checked yet. */
  fits: boolean | null;
  problems: Problem[] | null;
  /** Of the route, from its manifest. */
  requires: Route['requires'] | null;
  /** Bytes of memory of its largest card, as the backend reports it; `null` if it does not. */
  vram_bytes: number | null;
};

/**
 * Returns each route with each backend that it names: of all models on offer, or of one model in its offered or else
 * newest version.
 */
export function selectRouteFits(database: Queryable, model: string | undefined): Promise<RouteFit[]> {
  return database.rows<RouteFit>(
    `select m.id, r.name as route, r.engine, r.backends as wanted, b.name as backend, f.fits, f.problems,
       b.vram_bytes::float8 as vram_bytes, v.manifest->'routes'->r.route->'requires' as requires
     from models m
       join routes r on r.model_id = m.id and r.version = coalesce(m.published_version, m.newest_version)
       join model_versions v on (v.model_id, v.version) = (r.model_id, r.version)
       left join backends b on b.engine = r.engine and (b.name = any(r.backends) or b.labels && r.backends)
       left join route_fits f on f.backend = b.name and f.model_id = r.model_id and f.version = r.version
         and f.route = r.route
     where m.retired_at is null and case when $1::text is null then m.published_version is not null else m.id = $1 end
     order by m.position, r.route, b.name`,
    [model ?? null],
  );
}

/** Returns the bytes of memory of each backend's largest card, as the backend reports it; `null` if it does not. */
export async function selectMemory(database: Queryable): Promise<Map<string, number | null>> {
  const rows = await database.rows<{ name: string; bytes: number | null }>(
    'select name, vram_bytes::float8 as bytes from backends',
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

export async function selectList<Name extends keyof CatalogLists>(
  database: Queryable,
  name: Name,
): Promise<{ version: number; content: CatalogLists[Name] } | undefined> {
  const [row] = await database.rows<{ version: number; content: CatalogLists[Name] }>(
    'select version, c.content from published_lists p join catalog_lists c using (name, version) where p.name = $1',
    [name],
  );
  return row;
}

/** Returns an earlier published version of a list. */
export async function selectListVersion<Name extends keyof CatalogLists>(
  database: Queryable,
  name: Name,
  version: number,
): Promise<CatalogLists[Name] | undefined> {
  const [row] = await database.rows<{ content: CatalogLists[Name] }>(
    'select content from catalog_lists where name = $1 and version = $2',
    [name, version],
  );
  return row?.content;
}

const maxListVersions = 100;

/** Newest first. */
export function selectListVersions(
  database: Queryable,
  name: keyof CatalogLists,
): Promise<{ version: number; created_at: string }[]> {
  return database.rows(
    `select version, iso_time(created_at) as created_at from catalog_lists where name = $1
     order by version desc limit ${maxListVersions}`,
    [name],
  );
}
