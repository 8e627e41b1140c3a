import type { StudioStyle } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { Database, Queryable, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import type { ImportFindings } from '@renderkit/manifests/parameters.ts';
import type { Plan } from './plans.ts';
import type { RouteRow } from './route-row.ts';
import type { CatalogLists, PublishedModel } from './snapshot.ts';

export type CatalogRows = { revision: number; models: PublishedModel[]; lists: Partial<CatalogLists> };

/** Reads everything that is published, as it was at one moment: one statement sees one snapshot. */
export async function readCatalog(database: Queryable): Promise<CatalogRows | undefined> {
  const [row] = await database.rows<CatalogRows>(
    `select r.revision,
       coalesce((select json_agg(json_build_object('version', v.version, 'manifest', v.manifest,
           'thumbnailKey', v.thumbnail_key, 'sampleSeconds', v.sample_seconds, 'builtIn', m.built_in, 'publishedAt', iso_time(v.published_at),
           'asBrought', m.built_in and coalesce(v.version = m.file_version or v.same_as = (
             select coalesce(f.same_as, f.version) from model_versions f
              where f.model_id = m.id and f.version = m.file_version), false),
           'paused', case when m.paused_since is not null
             then json_build_object('since', iso_time(m.paused_since), 'reason', m.paused_reason) end)
           order by m.position)
         from models m join model_versions v on v.model_id = m.id and v.version = m.published_version), '[]') as models,
       coalesce((select json_object_agg(p.name, c.content)
         from published_lists p join catalog_lists c using (name, version)), '{}') as lists
     from catalog_revision r`,
  );
  return row;
}

export type VersionRow = { manifest: Manifest; thumbnail_key: string | null; sample_seconds: number | null };

export async function readVersion(
  database: Queryable,
  model: string,
  version: number,
): Promise<VersionRow | undefined> {
  const [row] = await database.rows<VersionRow>(
    'select manifest, thumbnail_key, sample_seconds::float8 as sample_seconds from model_versions where model_id = $1 and version = $2',
    [model, version],
    'read_model_version',
  );
  return row;
}

export type ModelRow = {
  id: string;
  published_version: number | null;
  newest_version: number;
  is_retired: boolean;
  built_in: boolean;
  pause_asked: string | null;
  file_digest: string | null;
  file_version: number | null;
};

export async function findModelRow(transaction: Transaction, model: string): Promise<ModelRow | undefined> {
  const [row] = await transaction.rows<ModelRow>(
    `select id, published_version, newest_version, retired_at is not null as is_retired, built_in, pause_asked, file_digest, file_version from models where id = $1`,
    [model],
  );
  return row;
}

export async function findVersionByDigest(
  transaction: Transaction,
  model: string,
  digest: string,
): Promise<number | undefined> {
  const [row] = await transaction.rows<{ version: number }>(
    'select version from model_versions where model_id = $1 and digest = $2',
    [model, digest],
  );
  return row?.version;
}

export async function findPrice(
  transaction: Transaction,
  model: string,
  version: number,
): Promise<Manifest['price'] | undefined> {
  const [row] = await transaction.rows<{ price: Manifest['price'] }>(
    `select manifest->'price' as price from model_versions where model_id = $1 and version = $2`,
    [model, version],
  );
  return row?.price;
}

export type NewVersion = {
  digest: string;
  manifest: Manifest;
  source: string;
  files: Readonly<Record<string, string>>;
  thumbnailKey: string | null;
  sampleSeconds: number | null;
  sameAs: number | null;
  imported: ImportFindings | null;
  routes: readonly RouteRow[];
};

/** A version's sample. Versions that make the same images share it. */
type SharedSample = {
  /** The number of the oldest of these versions. */
  same_as: number;
  sample_seconds: number | null;
  /** `null` if the version names its own image. */
  thumbnail_key: string | null;
};

/**
 * Returns the sample that a further version shares with one that makes the same. No sample ends before this transaction
 * does.
 */
export async function lockSample(
  transaction: Transaction,
  model: string,
  version: number,
): Promise<SharedSample | undefined> {
  const [row] = await transaction.rows<SharedSample>(
    `select coalesce(same_as, version) as same_as, sample_seconds::float8 as sample_seconds,
       case when manifest->>'thumbnail' is null then thumbnail_key end as thumbnail_key
     from model_versions where model_id = $1 and version = $2 for share`,
    [model, version],
  );
  return row;
}

/** Adds the model if it is missing, and its next version. Returns that version's number. */
export async function insertVersion(transaction: Transaction, version: NewVersion): Promise<number> {
  const [row] = await transaction.rows<{ newest_version: number }>(
    `insert into models (id, newest_version) values ($1, 1)
     on conflict (id) do update set newest_version = models.newest_version + 1 returning newest_version`,
    [version.manifest.id],
  );
  if (row === undefined) throw new Error('an insert that updates returned no row');
  const { newest_version: number } = row;
  await transaction.execute(
    `insert into model_versions (model_id, version, digest, manifest, source, files, thumbnail_key, sample_seconds, imported,
       same_as)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      version.manifest.id,
      number,
      version.digest,
      JSON.stringify(version.manifest),
      version.source,
      JSON.stringify(version.files),
      version.thumbnailKey,
      version.sampleSeconds,
      version.imported && JSON.stringify(version.imported),
      version.sameAs,
    ],
  );
  await transaction.execute(
    `insert into routes select r.* from jsonb_array_elements($3) as one (row),
       jsonb_populate_record(null::routes, one.row || jsonb_build_object('model_id', $1::text, 'version', $2::integer)) as r`,
    [version.manifest.id, number, JSON.stringify(version.routes)],
  );
  return number;
}

/** Changes a draft. Returns false if the version was ever offered: then it never changes. */
export async function updateDraft(
  transaction: Transaction,
  number: number,
  { digest, manifest, source }: Pick<NewVersion, 'digest' | 'manifest' | 'source'>,
): Promise<boolean> {
  const count = await transaction.execute(
    `update model_versions set digest = $3, manifest = $4, source = $5
     where model_id = $1 and version = $2 and published_at is null`,
    [manifest.id, number, digest, JSON.stringify(manifest), source],
  );
  return count === 1;
}

/** Offers a version; `null` takes the model off the list. Returns false if there is no such version. */
export async function updatePublished(
  transaction: Transaction,
  model: string,
  version: number | null,
): Promise<boolean> {
  if (version !== null) {
    const found = await transaction.execute(
      'update model_versions set published_at = clock() where model_id = $1 and version = $2',
      [model, version],
    );
    if (found === 0) return false;
  }
  const rowCount = await transaction.execute(
    `update models set published_version = $2, retired_at = case when $2::integer is null then clock() end,
       paused_since = case when $2::integer is not null and pause_asked is not null then coalesce(paused_since, clock()) end,
       paused_reason = case when $2::integer is not null then pause_asked end
     where id = $1`,
    [model, version],
  );
  return rowCount === 1;
}

/** Makes a retired model a draft again. Returns false if it is not retired. */
export async function updateRevived(transaction: Transaction, model: string): Promise<boolean> {
  const count = await transaction.execute(
    'update models set retired_at = null where id = $1 and retired_at is not null',
    [model],
  );
  return count === 1;
}

/** Pauses a model on offer, or ends a requested pause: then the model is paused only if nothing can make it. */
export async function updatePause(
  transaction: Transaction,
  model: string,
  reason: string | null,
): Promise<void> {
  await transaction.execute('update models set pause_asked = $2 where id = $1', [model, reason]);
  await transaction.execute(
    `update models m set paused_reason = n.reason,
       paused_since = case when n.reason is not null then coalesce(m.paused_since, clock()) end
     from (select pause_reason(id, published_version) as reason from models where id = $1) n where m.id = $1`,
    [model],
  );
}

export async function updateModelFile(
  transaction: Transaction,
  model: string,
  file: { digest: string; version: number; builtIn: boolean },
): Promise<void> {
  await transaction.execute(
    'update models set file_digest = $2, file_version = $3, built_in = $4 where id = $1',
    [model, file.digest, file.version, file.builtIn],
  );
}

export type ListRow = {
  version: number;
  digest: string;
  content: unknown;
  built_in: boolean;
  file_digest: string | null;
  file_version: number | null;
};

export async function findPublishedList(
  transaction: Transaction,
  name: keyof CatalogLists,
): Promise<ListRow | undefined> {
  const [row] = await transaction.rows<ListRow>(
    `select version, c.digest, c.content, p.built_in, p.file_digest, p.file_version
     from published_lists p join catalog_lists c using (name, version) where name = $1`,
    [name],
  );
  return row;
}

/** Adds a version of a list, which is the published one from now on. Returns its number. */
export async function insertList(
  transaction: Transaction,
  name: keyof CatalogLists,
  list: { digest: string; content: unknown },
): Promise<number> {
  const [row] = await transaction.rows<{ version: number }>(
    `with added as (
       insert into catalog_lists (name, version, digest, content)
       select $1, coalesce(max(version), 0) + 1, $2, $3 from catalog_lists where name = $1 returning name, version)
     insert into published_lists (name, version) select name, version from added
     on conflict (name) do update set version = excluded.version returning version`,
    [name, list.digest, JSON.stringify(list.content)],
  );
  if (row === undefined) throw new Error('an insert that updates returned no row');
  return row.version;
}

export async function updateListFile(
  transaction: Transaction,
  name: keyof CatalogLists,
  file: { digest: string; version: number; builtIn: boolean },
): Promise<void> {
  await transaction.execute(
    'update published_lists set file_digest = $2, file_version = $3, built_in = $4 where name = $1',
    [name, file.digest, file.version, file.builtIn],
  );
}

/** Returns those of the plans that accounts have. */
export async function findPlansInUse(transaction: Transaction, keys: readonly string[]): Promise<string[]> {
  const rows = await transaction.rows<{ key: string }>(
    `select key from unnest($1::text[]) as key
     where exists (select from accounts where tier = key and deleted_at is null) order by key`,
    [keys],
  );
  return rows.map(({ key }) => key);
}

/**
 * Gives accounts what their plans grant now. The allowance takes effect at the next renewal. Returns how many accounts
 * changed.
 */
export async function updateAccountsOfPlans(
  transaction: Transaction,
  plans: readonly Plan[],
): Promise<number> {
  const plan = `json_to_recordset($1) as p (key text, monthly_millicredits bigint, limits jsonb, weight real,
    storage_bytes bigint)`;
  const now = `a.allowance_millicredits, a.limit_image, a.limit_edit, a.limit_video, a.limit_overall,
    a.limit_storage_bytes, a.share`;
  const wanted = `p.monthly_millicredits, (p.limits->>'image')::integer, (p.limits->>'edit')::integer,
    (p.limits->>'video')::integer, (p.limits->>'overall')::integer, p.storage_bytes, p.weight`;
  const values = [JSON.stringify(plans)];
  // In the order in which all code locks accounts.
  await transaction.execute(
    `select from accounts a join ${plan} on p.key = a.tier where (${now}) is distinct from (${wanted})
     order by a.id for update of a`,
    values,
  );
  return transaction.execute(
    `update accounts a set (allowance_millicredits, limit_image, limit_edit, limit_video, limit_overall,
       limit_storage_bytes, share) = (${wanted})
     from ${plan} where p.key = a.tier and (${now}) is distinct from (${wanted})`,
    values,
  );
}

export async function notifyCatalog(database: Queryable, channel: string): Promise<void> {
  await database.execute('select pg_notify($1, $2)', [channel, 'catalog']);
}

export async function ownStyles(database: Database, accountId: string): Promise<StudioStyle[]> {
  return database.rows<StudioStyle>(
    'select id, name, type, true as custom from styles where account_id = $1 order by created_at, id',
    [accountId],
  );
}

/** Adds a style of the account's own, and with it a new version of the account's catalog. */
export async function insertStyle(
  database: Database,
  style: { id: string; accountId: string; name: string; type: 'image' | 'video' },
): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.execute('update accounts set styles_version = styles_version + 1 where id = $1', [
      style.accountId,
    ]);
    await transaction.execute('insert into styles (id, account_id, name, type) values ($1, $2, $3, $4)', [
      style.id,
      style.accountId,
      style.name,
      style.type,
    ]);
  });
}
