import type { Lane } from '@renderkit/contract/studio/kinds.ts';
import type { Cost } from '@renderkit/engine-kit/route.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { RenderShape } from '@renderkit/studio/backends/render-shape.ts';

// Rows for tests of the claim, as the catalog, the operator and an accept would write them.

export async function insertAccount(database: Database, id: string, share = 1): Promise<void> {
  await database.rows(
    `insert into accounts (id, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at, limit_image,
       limit_edit, limit_video, limit_overall, share)
     values ($1, 'free', 0, clock(), clock(), clock() + interval '1 month', 1000, 1000, 1000, 1000, $2)`,
    [id, share],
  );
}

export type RouteRow = {
  backends?: string[];
  engine?: string;
  needs?: object;
  lacks?: string[];
  affinity?: string;
  swapSeconds?: number;
  opensAfterSeconds?: number;
  atOnceIfNoneUp?: boolean;
  cost?: Cost;
  maxPerJob?: number;
};

/** Inserts a published model, version 1, with these routes. */
export async function insertModel(database: Database, id: string, routes: RouteRow[]): Promise<void> {
  await database.rows(
    `with model as (insert into models (id, newest_version) values ($1, 1) returning id)
     insert into model_versions (model_id, version, digest, manifest, source, published_at)
     select id, 1, id, $2, '', clock() from model`,
    [id, JSON.stringify({ id, routes: routes.map(({ engine = 'comfyui' }) => ({ name: 'route', engine })) })],
  );
  await database.rows('update models set published_version = 1 where id = $1', [id]);
  for (const [number, route] of routes.entries())
    await database.rows(
      `insert into routes (model_id, version, route, name, engine, backends, needs, lacks, affinity, swap_seconds,
         opens_after_seconds, at_once_if_none_up, cost, max_per_job)
       values ($1, 1, $2, 'route', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        id,
        number,
        route.engine ?? 'comfyui',
        route.backends ?? [],
        JSON.stringify(route.needs ?? {}),
        route.lacks ?? [],
        route.affinity ?? null,
        route.swapSeconds ?? 20,
        route.opensAfterSeconds ?? 0,
        route.atOnceIfNoneUp ?? false,
        route.cost === undefined ? null : JSON.stringify(route.cost),
        route.maxPerJob ?? 4,
      ],
    );
}

export type BackendRow = {
  engine?: string;
  slots?: number | null;
  labels?: string[];
  maxCostPerDay?: number;
  currency?: string;
  allowLoss?: boolean;
};

export async function insertBackend(
  database: Database,
  name: string,
  backend: BackendRow = {},
): Promise<void> {
  await database.rows(
    `insert into backends (name, engine, url, slots, labels, max_cost_per_day, currency, allow_loss)
     values ($1, $2, 'http://127.0.0.1:1', $3, $4, $5, $6, $7)`,
    [
      name,
      backend.engine ?? 'comfyui',
      backend.slots === undefined ? 1 : backend.slots,
      backend.labels ?? [],
      backend.maxCostPerDay ?? null,
      backend.currency ?? null,
      backend.allowLoss ?? false,
    ],
  );
}

/** Stores that a backend can run routes of a model. */
export async function insertFits(
  database: Database,
  backend: string,
  model: string,
  fits: { route?: number; runSeconds?: number; firstSeconds?: number }[] = [{}],
): Promise<void> {
  for (const { route = 0, runSeconds = null, firstSeconds = null } of fits)
    await database.rows(
      `insert into route_fits (backend, model_id, version, route, fits, run_seconds, first_seconds)
       values ($1, $2, 1, $3, true, $4, $5)`,
      [backend, model, route, runSeconds, firstSeconds],
    );
}

export type RenderRow = {
  account?: string;
  lane?: Lane;
  shape?: Partial<RenderShape>;
  /** Seconds before now. */
  waited?: number;
  /** Seconds before now at which the render's turn was; default: when it was accepted. */
  turn?: number;
  outputs?: number;
  outputsDone?: number;
  costMillicredits?: number;
  notBeforeSeconds?: number;
};

export const imageShape: RenderShape = {
  kind: 'image',
  has: {},
  options: {},
  pixels: 1024 * 1024,
  seconds: null,
};

export async function insertRender(
  database: Database,
  id: string,
  model: string,
  render: RenderRow = {},
): Promise<void> {
  const shape = { ...imageShape, ...render.shape };
  const waited = render.waited ?? 0;
  await database.rows(
    `insert into renders (id, account_id, token, client_id, status, kind, lane, model, model_version, request, prompt_id,
       cost_millicredits, expected_outputs, outputs_done, shape, accepted_at, tag, not_before)
     values ($1, $2, $1, 'client', 'queued', $3, $4, $5, 1, '{}', 'prm', $6, $7, $8, $9,
       clock() - $10 * interval '1 second', clock() - $11 * interval '1 second', clock() + $12 * interval '1 second')`,
    [
      id,
      render.account ?? 'acc',
      shape.kind,
      render.lane ?? 'image',
      model,
      render.costMillicredits ?? 5_000,
      render.outputs ?? 1,
      render.outputsDone ?? 0,
      JSON.stringify(shape),
      waited,
      render.turn ?? waited,
      render.notBeforeSeconds ?? null,
    ],
  );
}
