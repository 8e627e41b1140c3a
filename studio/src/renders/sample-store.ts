import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { Database, Queryable, Transaction } from '@renderkit/server-kit/db/database.ts';
import { jobsChannel } from '../channels.ts';
import type { Waiting } from './waiting.ts';

/** The account that owns the installation's own renders and files. No user has it. */
const installationAccount = 'acc_installation';

export type NewSample = {
  id: string;
  prompt: string;
  lane: Lane;
  request: RenderRequest;
  version: number;
  outputs: number;
  waiting: Waiting;
  /** Whether routes that cost money may make it. */
  mayCost: boolean;
};

/**
 * Inserts a render that no account pays for. It takes its turn from now on, like any other. Returns false if its model
 * is retired. A process that retires the model meanwhile either sees this sample, or the insert sees the retirement.
 */
export async function insertSample(database: Database, sample: NewSample): Promise<boolean> {
  const { request, waiting } = sample;
  const count = await database.execute(
    `with offered as (select from models where id = $6 and retired_at is null for share)
     insert into renders (id, account_id, token, client_id, status, kind, lane, model, model_version, request, prompt_id,
       cost_millicredits, ledger_seq, expected_outputs, shape, seed, tag, sample)
     select $1, $2, $1, 'operator', 'queued', $3, $4, $6, $5, $7, $8, 0, 0, $9, $10, $11, clock(), $12 from offered`,
    [
      sample.id,
      installationAccount,
      request.kind,
      sample.lane,
      sample.version,
      request.model,
      JSON.stringify(request),
      sample.prompt,
      sample.outputs,
      JSON.stringify(waiting.shape),
      waiting.seed,
      sample.mayCost ? 'paid' : 'own',
    ],
  );
  return count === 1;
}

/** Wakes the workers, so that they look at once for renders that wait or were stopped. */
export async function notifyJobs(database: Queryable): Promise<void> {
  await database.execute('select pg_notify($1, $2)', [jobsChannel, 'job']);
}

export type SampleRow = {
  status: 'queued' | 'running' | 'succeeded' | 'failed';
  is_stopped: boolean;
  attempt: number;
  /** Why nothing can make it now; `null` if something can. */
  obstacle: string | null;
  /** The backend that runs it, or that was the last to run it. */
  backend: string | null;
  /** Why its last failed job failed, for an operator; `null` if none failed. */
  reason: string | null;
  /** For users, if it failed. */
  message: string | null;
  /** The run time of all its jobs. */
  seconds: number | null;
  /** Whether the engine had to load other weights first. */
  with_loading: boolean;
};

export async function findSample(database: Database, id: string): Promise<SampleRow | undefined> {
  const [row] = await database.rows<SampleRow>(
    `select r.status, r.attempt, r.stop_requested_at is not null as is_stopped, case when r.status = 'queued' then sample_obstacle(r.id) end as obstacle,
       r.error->>'message' as message, s.backend, s.seconds, coalesce(s.with_loading, false) as with_loading,
       (select coalesce(f.error->>'reason', f.error->>'message') from submissions f
        where f.render_id = r.id and f.state = 'failed' order by f.created_at desc limit 1) as reason
     from renders r
     left join lateral (select sum(run_seconds) filter (where state = 'done') as seconds, bool_or(swapped) as with_loading,
       (array_agg(backend order by created_at desc))[1] as backend
       from submissions where render_id = r.id) s on true
     where r.id = $1`,
    [id],
  );
  return row;
}

/** Returns the id of the newest sample of a version of a model, or of another version that makes the same. */
export async function findNewestSample(
  database: Database,
  model: string,
  version: number,
): Promise<string | undefined> {
  const [row] = await database.rows<{ id: string }>(
    `select id from renders where account_id = $1 and model = $2 and sample is not null and model_version in (
       select other.version from model_versions other join model_versions own on own.model_id = other.model_id
       where own.model_id = $2 and own.version = $3
         and coalesce(other.same_as, other.version) = coalesce(own.same_as, own.version))
     order by accepted_at desc, id desc limit 1`,
    [installationAccount, model, version],
  );
  return row?.id;
}

/** Returns the samples of a model that are in progress: of all its versions, or of one and those that make the same. */
export async function findSamplesUnderWay(
  queryable: Queryable,
  model: string,
  version: number | null,
): Promise<{ id: string; version: number }[]> {
  return queryable.rows(
    `select r.id, r.model_version as version from renders r
     where r.account_id = $1 and r.model = $2 and r.sample is not null and r.status in ('queued', 'running') and r.completed_at is null
       and ($3::integer is null or r.model_version in (
         select other.version from model_versions other join model_versions own on own.model_id = other.model_id
         where own.model_id = $2 and own.version = $3
           and coalesce(other.same_as, other.version) = coalesce(own.same_as, own.version)))
     order by r.id`,
    [installationAccount, model, version],
  );
}

/**
 * Asks the render of a sample to end. A waiting render ends at once; a running one is ended by its worker. The result
 * of an engine that cannot stop is thrown away.
 */
export async function stopSampleRender(queryable: Queryable, id: string): Promise<'ended' | 'stopping'> {
  const [row] = await queryable.rows<{ outcome: 'ended' | 'stopping' }>(
    `select outcome from stop_render($1, $2, 'none', '{}')`,
    [installationAccount, id],
  );
  return row?.outcome ?? 'ended';
}

/** Ends a sample that no worker runs. Does nothing if a worker has begun it meanwhile. */
export async function giveSampleUp(
  database: Database,
  id: string,
  attempt: number,
  message: string,
): Promise<void> {
  const error = JSON.stringify({ code: 'render_timeout', message });
  await database.rows(`select from finish_render($1, $2, 'failed', $3, '[]')`, [id, attempt, error]);
}

export type SampleImage = {
  id: string;
  key: string;
  sizeBytes: number;
  width: number;
  height: number;
};

/** Returns the storage key of an image of the installation, `undefined` if there is none with this id. */
export async function findSampleImage(database: Database, id: string): Promise<string | undefined> {
  const [row] = await database.rows<{ storage_key: string }>(
    'select storage_key from assets where id = $1 and account_id = $2',
    [id, installationAccount],
  );
  return row?.storage_key;
}

/**
 * Writes the row of an image. `lost`: the key whose file is gone. Returns false if another process wrote the row
 * meanwhile.
 */
export async function writeSampleImage(
  transaction: Transaction,
  image: SampleImage,
  lost: string | undefined,
): Promise<boolean> {
  const count = await transaction.execute(
    `insert into assets (id, account_id, type, generation_type, storage_key, content_type, size_bytes, width, height)
     values ($1, $2, 'image', 'image', $3, 'image/png', $4, $5, $6)
     on conflict (id) do update set storage_key = excluded.storage_key where assets.storage_key = $7`,
    [image.id, installationAccount, image.key, image.sizeBytes, image.width, image.height, lost ?? null],
  );
  return count === 1;
}
