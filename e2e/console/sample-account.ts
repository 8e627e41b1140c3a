import assert from 'node:assert/strict';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Page } from 'playwright-core';
import type { ApiKey, CreatedApiKey } from '@renderkit/contract/console/schemas/key.ts';
import type { Delivery } from '@renderkit/contract/console/schemas/delivery.ts';
import type { CreatedWebhook } from '@renderkit/contract/console/schemas/webhook.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { createClient } from '../harness/client.ts';
import { addSmallVideoModel } from './small-video.ts';
import type { ConsoleWorld } from './world.ts';

/** The ids of what an account contains for the pages to show. */
export type SampleAccount = {
  image: string;
  edit: string;
  video: string;
  failed: string;
  endpoint: string;
  failedDelivery: string;
  waiting: string;
  /** The name of an upload that a generation used. */
  upload: string;
};

type Fields = Record<string, unknown>;
type List<Item> = { data: Item[] };

/** Calls the console's API as the page's script does. */
export function consoleCallerOf(world: ConsoleWorld, page: Page) {
  return async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await page.request.fetch(`${world.url}/console/api${path}`, {
      method,
      headers: { origin: world.url },
      ...(body !== undefined && { data: body }),
    });
    const text = await answer.text();
    assert.ok(answer.ok(), `${method} ${path}: ${text}`);
    return JSON.parse(text) as Body;
  };
}

const paths = {
  image: '/v1/images/generations',
  edit: '/v1/images/edits',
  video: '/v1/videos/generations',
} as const;

/** Creates that show what the included engines can draw. */
const gallery: [keyof typeof paths, Fields][] = [
  ['image', { model: 'atelier-1', prompt: 'A lighthouse above a calm sea at dusk', aspect_ratio: '16:9' }],
  ['image', { model: 'prism-1', prompt: 'Light through coloured glass', aspect_ratio: '1:1' }],
  ['image', { model: 'linework-1', prompt: 'Wind over dunes, drawn in ink', aspect_ratio: '3:2' }],
  ['image', { model: 'atelier-1', prompt: 'A small town in the snow, warm windows', aspect_ratio: '3:4' }],
  ['image', { model: 'atelier-1', prompt: 'Mountains in the first light of day', aspect_ratio: '4:3' }],
  ['image', { model: 'papercut-studio', prompt: 'A forest of cut paper', aspect_ratio: '1:1' }],
  ['image', { model: 'atelier-1', prompt: 'A harbour in fog', options: { palette: 'mono' } }],
];

/** Fills an account. With `full`, it looks as if used for weeks; otherwise it gets one of each thing. */
export async function fillAccount(
  world: ConsoleWorld,
  page: Page,
  { full }: { full: boolean },
): Promise<SampleAccount> {
  const call = consoleCallerOf(world, page);
  world.receiver.answer = ({ path }) =>
    path.startsWith('/staging')
      ? { status: 503, body: '{"error":"The staging server is being deployed.","retry":true}' }
      : { status: 200, body: '{"received":true}' };
  const keys = await makeKeys(call);
  const endpoints = await makeEndpoints(call, world.receiver.url);
  const client = createClient(world.url, keys.site);
  const make = async (kind: keyof typeof paths, body: Fields): Promise<string> => {
    const made = await client.call<Generation>('POST', paths[kind], { body });
    assert.equal(made.status, 202, made.text);
    return made.body.id;
  };
  const finish = async (id: string): Promise<Generation> => {
    for (;;) {
      const { body } = await client.call<Generation>('GET', `/v1/generations/${id}?wait=60`);
      if (body.status !== 'queued' && body.status !== 'running') return body;
    }
  };
  for (let i = 0; i < (full ? 60 : 0); i++) await make('image', draftOf(i));
  const failed = await make('image', { model: 'sandbox-fail', prompt: 'A storm' });
  if (full) await make('image', { model: 'sandbox-partial', prompt: 'Two clouds' });
  const images = gallery.slice(0, full ? undefined : 1).map(([kind, body]) => make(kind, body));
  const [image = ''] = await Promise.all(images);
  const { outputs } = await finish(image);
  const upload = await sendUploads(world, page, outputs[0]?.url ?? '');
  const edit = await make('edit', {
    model: 'retouch-1',
    image: upload.id,
    prompt: 'The same place under a starry sky',
    metadata: { order: '2026-1187', shop: 'Harbour & Sons' },
  });
  const video = await make('video', {
    ...(full ? { model: 'drift-1', duration: 3 } : { model: await addSmallVideoModel(world), duration: 1 }),
    prompt: 'Clouds drift over mountains',
  });
  for (const id of [...(await Promise.all(images)), failed, edit, video]) await finish(id);
  if (full) await spreadOverDays(world);
  const assets = await call<List<{ id: string; type: string }>>('GET', '/v1/assets?limit=100');
  for (const { id, type } of assets.data.filter((_, i) => i % 9 === 2))
    await call('PATCH', `/v1/assets/${type}/${id}`, { favorite: true });
  const failedDelivery = await untilFailed(call, endpoints.failing);
  await call('POST', `/webhooks/${endpoints.main}/ping`);
  await world.platform.operator('webhook', 'pause', '--id', endpoints.paused);
  // Two run for five minutes, and later ones wait.
  const slow = {
    model: 'sandbox-slow',
    prompt: 'Something that takes its time',
    options: { seconds: 300 },
  };
  for (let i = 0; i < 2; i++) await make('image', slow);
  const waiting = await make('image', { model: 'atelier-1', prompt: 'An island that has to wait' });
  await client.cancel(await make('image', { model: 'atelier-1', prompt: 'Something else after all' }));
  return {
    image,
    edit,
    video,
    failed,
    endpoint: endpoints.main,
    failedDelivery,
    waiting,
    upload: upload.file_name,
  };
}

/** Uploads an image under two names; the studio's rules reject one of them. Returns the other upload. */
async function sendUploads(world: ConsoleWorld, page: Page, imageUrl: string): Promise<Upload> {
  const buffer = Buffer.from(await (await fetch(imageUrl)).arrayBuffer());
  const send = async (name: string): Promise<Upload> => {
    const answer = await page.request.post(`${world.url}/console/api/v1/uploads`, {
      headers: { origin: world.url },
      multipart: { file: { name, mimeType: 'image/png', buffer } },
    });
    const text = await answer.text();
    assert.ok(answer.ok(), text);
    return JSON.parse(text) as Upload;
  };
  await send('sandbox-rejected.png');
  return send('harbour at dusk, the third of a long series of attempts.png');
}

type ConsoleCaller = ReturnType<typeof consoleCallerOf>;

async function makeKeys(call: ConsoleCaller): Promise<{ site: string }> {
  const all = ['read', 'generate', 'uploads', 'projects', 'library'];
  const site = await call<CreatedApiKey>('POST', '/keys', {
    name: 'Production website',
    scopes: all,
    daily_budget: 400,
  });
  await call('POST', '/keys', {
    name: 'Mobile app (staging)',
    scopes: ['read', 'generate'],
    expires_in_days: 30,
    daily_budget: 25,
    rate_limit: 30,
  });
  const old = await call<ApiKey>('POST', '/keys', { name: 'Old batch job', scopes: ['read'] });
  await call('DELETE', `/keys/${old.id}`);
  return { site: site.key };
}

async function makeEndpoints(call: ConsoleCaller, receiver: string) {
  const make = async (url: string, events: string[]) =>
    (await call<CreatedWebhook>('POST', '/webhooks', { url, events })).id;
  return {
    main: await make(`${receiver}/webhooks/renderkit`, ['generation.succeeded', 'generation.failed']),
    failing: await make(`${receiver}/staging/hooks`, ['generation.succeeded', 'generation.failed']),
    paused: await make(`${receiver}/old`, ['upload.ready', 'upload.rejected']),
  };
}

const places = ['lake', 'meadow', 'cliff', 'canal', 'vineyard', 'glacier', 'market'];
const lights = ['at dawn', 'at noon', 'in the rain', 'by moonlight'];

function draftOf(i: number): Fields {
  return {
    model: i % 12 === 5 ? 'sandbox-fail' : 'sketch-1',
    prompt: `A ${places[i % places.length]} ${lights[i % lights.length]}`,
    ...(i % 12 !== 5 && { aspect_ratio: ['1:1', '16:9', '9:16'][i % 3] }),
  };
}

/** Spreads the generations over three weeks, for the charts. */
async function spreadOverDays({ platform: { databases } }: ConsoleWorld): Promise<void> {
  const { service } = databases;
  await service.rows(
    `with drafts as (
       select id, row_number() over (order by created_at) as n from generations
        where model in ('sketch-1', 'sandbox-fail') and completed_at is not null
     ), moved as (
       select id, make_interval(days => (2 + (n * n * 7 + n) % 19)::integer, mins => (n * 37 % 600)::integer) as by from drafts
     )
     update generations g set created_at = created_at - by, submitted_at = submitted_at - by,
            completed_at = completed_at - by, budget_day = ((created_at - by) at time zone 'UTC')::date
       from moved where moved.id = g.id`,
  );
  await service.rows('delete from budget_days');
  await service.rows(
    `insert into budget_days (key_id, day, committed_millicredits)
     select key_id, budget_day, sum(cost_millicredits) from generations
      where status not in ('failed', 'canceled') group by 1, 2`,
  );
}

async function untilFailed(call: ConsoleCaller, endpoint: string): Promise<string> {
  const failed = await until('a failed delivery', async () => {
    const { data } = await call<List<Delivery>>('GET', `/deliveries?endpoint_id=${endpoint}`);
    return data.find(({ last_failure: failure }) => failure !== null);
  });
  return failed.id;
}
