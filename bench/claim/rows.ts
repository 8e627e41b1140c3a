import type { Database } from '@renderkit/server-kit/db/database.ts';

const models = 30;
export const waitingRenders = 20_000;
/** An operator's own machines, with enough slots for the claims of a round. */
export const backends = Array.from({ length: 7 }, (_, n) => `gpu${n}`);
/** A paid backend for renders that have waited an hour: none has. */
export const dryBackend = 'paid';

/**
 * Fills a queue like that of a busy installation. Each model has routes for images, for edits and with a provider. Each
 * machine has some of the models. Hundreds of accounts take turns.
 */
export async function fillQueue(database: Database): Promise<void> {
  for (const statement of [
    `insert into accounts (id, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at, limit_image,
       limit_edit, limit_video, limit_overall)
     select 'acc_' || n, 'free', 0, clock(), clock(), clock() + interval '1 month', 100, 100, 100, 100
     from generate_series(0, 199) as n`,
    `insert into models (id, newest_version) select 'model-' || n, 1 from generate_series(1, ${models}) as n`,
    `insert into model_versions (model_id, version, digest, manifest, source, published_at)
     select 'model-' || n, 1, n::text, '{}', '', clock() from generate_series(1, ${models}) as n`,
    `insert into routes (model_id, version, route, name, engine, backends, needs, lacks, affinity, opens_after_seconds,
       at_once_if_none_up, cost, max_per_job)
     select 'model-' || n, 1, r, 'route', case r when 2 then 'fal' else 'comfyui' end, '{}',
       case r when 0 then '{"kind":"image"}' when 1 then '{"kind":"image_edit"}' else '{}' end::jsonb,
       case r when 0 then '{references}' else '{}' end::text[], case when r < 2 then 'weights-' || n % 12 end,
       case r when 2 then 3600 else 0 end, r = 2, case r when 2 then '{"currency":"USD","per_output":0.02}' end::jsonb, 4
     from generate_series(1, ${models}) as n, generate_series(0, 2) as r`,
    `insert into backends (name, engine, url, slots) values
       ${backends.map((name) => `('${name}', 'comfyui', 'http://x', 1000)`).join(', ')}, ('${dryBackend}', 'fal', 'http://x', 20)`,
    `insert into route_fits (backend, model_id, version, route, fits, run_seconds)
     select b.name, o.model_id, 1, o.route, true, 10 from backends b join routes o on o.engine = b.engine
     where not b.built_in and o.model_id like 'model-%' and (b.engine = 'fal' or hashtext(b.name || o.model_id) % 4 <> 0)`,
    `insert into renders (id, account_id, token, client_id, status, kind, lane, model, model_version, request, prompt_id,
       cost_millicredits, expected_outputs, shape, accepted_at, tag)
     select 'rnd_' || n, 'acc_' || n % 200, 'gen_' || n, 'client', 'queued', k.kind, case k.kind when 'image' then 'image' else 'edit' end,
       'model-' || 1 + n % ${models}, 1, '{}', 'prm', 5000, 1,
       json_build_object('kind', k.kind, 'has', case k.kind when 'image' then '{}' else '{"image":true}' end::json,
         'options', '{}'::json, 'pixels', 1048576, 'seconds', null),
       clock() - interval '10 minutes' + n * interval '0.03 seconds', clock() - interval '10 minutes' + n * interval '0.03 seconds'
     from generate_series(1, ${waitingRenders}) as n,
       lateral (select case when n % 5 = 0 then 'image_edit' else 'image' end as kind) k`,
    'vacuum analyze',
  ])
    await database.rows(statement);
}
