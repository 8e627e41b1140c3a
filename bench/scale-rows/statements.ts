// Statements that fill a service's database. Ids end in a row's number: they are as long as the product's and sort by
// time like them.

const id = (prefix: string, number: string) => `'${prefix}01' || lpad(to_hex(${number}), 24, '0')`;
/** The age of generation number n: from an hour to 92 days, of which the cleaner removes the last two. */
const age = `interval '1 hour' + (($3::bigint - n) / $3::float8) * interval '92 days'`;

/** $1 accounts with a key, a session at the studio, days of spending and $2 endpoints each. */
export const insertOwners = `
  with account as (
    insert into accounts (id, studio_id, studio_account_id, limit_overall, limit_image, limit_edit, limit_video, limits_read_at)
    select ${id('acc_', 'n')}, 'std_bench', 'account ' || n, 16, 8, 8, 8, clock() from generate_series(0, $1::int - 1) n
    returning id
  ), connection as (
    insert into connections (account_id, status) select id, 'live' from account
  ), key as (
    insert into api_keys (id, account_id, public_id, secret_sha256, name, scopes, rate_limit_per_minute)
    select 'key_' || substr(id, 5), id, substr(md5(id), 1, 12), sha256(id::bytea), 'production', '{read,generate}', 600
      from account
    returning id
  ), spent as (
    insert into budget_days (key_id, day, committed_millicredits)
    select id, (clock() at time zone 'UTC')::date - 10 * d, 40000 from key, generate_series(0, 8) d
  ), endpoint as (
    insert into webhook_endpoints (id, account_id, url, events, secret_sealed)
    select 'whk_01' || right(id, 21) || lpad(to_hex(k), 3, '0'), id, 'https://example.com/hooks/' || k,
           '{generation.succeeded,generation.failed}', repeat('s', 120)
      from account, generate_series(0, $2::int - 1) k
    returning id, account_id
  )
  insert into endpoint_turns (endpoint_id, account_id, state) select id, account_id, 'healthy' from endpoint`;

const ended = `
  select n, ${id('gen_', 'n')} as id, clock() - (${age}) as at,
         ${id('acc_', 'case when n % 10 = 0 then 0 else n % $4::bigint end')} as account_id,
         (array['image', 'image', 'image', 'image', 'image_edit', 'image_edit', 'video', 'video_extend'])[1 + n % 8] as kind,
         (array['image', 'image', 'image', 'image', 'edit', 'edit', 'video', 'video'])[1 + n % 8] as lane,
         case n % 10 when 7 then 'failed' when 3 then 'canceled' else 'succeeded' end as status,
         (select string_agg('word' || (hashint8(n * 31 + w) & 4095), ' ') from generate_series(1, 12) w) as prompt
    from generate_series($1::bigint, $2::bigint) n`;

const output = `{"id":"ast_01k7q2m4x8z3v5b9n1c6d0f2g4","type":"image","url":"https://studio.example/media/c9FwQRPZ9bHafp3JZCPNYxmipWcYZMr8/ast_01k7q2m4x8z3v5b9n1c6d0f2g4.png","thumb_url":"https://studio.example/media/c9FwQRPZ9bHafp3JZCPNYxmipWcYZMr8/thumb.webp","width":1024,"height":1024,"duration":null,"nsfw":false,"request_id":0}`;

/** Generations $1 to $2 of $3, of $4 accounts, with requests, events, and a delivery to each of $5 endpoints. */
export const insertEnded = `
  with ended as materialized (${ended}), generation as (
    insert into generations (id, account_id, key_id, kind, lane, status, model, project_id, cost_millicredits,
                             expected_outputs, outputs, metadata, prompt_id, created_at, submitted_at, completed_at,
                             budget_day, charge_ledger_seq)
    select id, account_id, 'key_' || substr(account_id, 5), kind, lane, status, 'atelier-1', 'prj_01kaf3v5w8m2x9q4t7r6y1z0bc',
           4000, 1, case status when 'succeeded' then '[${output}]' else '[]' end, '{"order":"4711"}',
           'prm_01kaf3v5w8m2x9q4t7r6y1z0bc', at, at, at, (at at time zone 'UTC')::date, n from ended
  ), asked as (
    insert into generation_requests (generation_id, render_request, quote, sent_body, words)
    select id, request, repeat('q', 260), request, prompt_words(account_id, request)
      from (select id, account_id, '{"kind":"' || kind || '","model":"atelier-1","prompt":"' || prompt ||
                   '","aspect_ratio":"1:1","options":{"seed":4711}}' as request from ended) r
  ), told as (
    insert into events (id, account_id, type, subject_id, body, created_at)
    select 'evt_' || substr(id, 5), account_id, 'generation.' || case status when 'succeeded' then status else 'failed' end,
           id, '{"id":"evt_' || substr(id, 5) || '","object":"event","type":"generation.succeeded","created_at":"' || at ||
           '","data":{"id":"' || id || '","object":"generation","outputs":[${output}],"error":null}}', at
      from ended
  ), stream as (
    insert into account_events (account_id, id, type, subject_id, created_at)
    select account_id, 'evt_' || substr(id, 5), 'generation.' || case status when 'succeeded' then status else 'failed' end,
           id, at from ended where at > clock() - interval '7 days'
  )
  insert into deliveries (id, endpoint_id, account_id, event_id, event_type, status, attempts, tries, last_status,
                          last_failure, last_attempt_at, created_at, completed_at, given_up)
  select ${id('dlv_', 'n * $5::bigint + k')}, 'whk_01' || right(account_id, 21) || lpad(to_hex(k), 3, '0'), account_id,
         'evt_' || substr(id, 5), 'generation.' || case status when 'succeeded' then status else 'failed' end,
         case when lost then 'failed' else 'delivered' end, case when lost then 7 else 1 end,
         case when lost then 7 else 1 end, case when lost then 500 else 204 end, case when lost then 'status' end,
         at, at, at, case when lost then 'failed' end
    from ended, generate_series(0, $5::int - 1) k, lateral (select (n + k) % 50 = 0 as lost) l`;

/** An attempt of each delivery of generations $1 to $2 of $3, for the time that attempts are kept. */
export const insertAttempts = `
  insert into delivery_attempts (delivery_id, try, number, started_at, ended_at, duration_ms, status)
  select ${id('dlv_', 'n * $4::bigint + k')}, 1, 1, at, at, 40, 204
    from (select n, clock() - (${age}) as at from generate_series($1::bigint, $2::bigint) n) ended,
         generate_series(0, $4::int - 1) k
   where at > clock() - interval '29 days'`;
