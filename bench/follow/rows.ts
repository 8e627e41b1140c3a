import type { Database } from '@renderkit/server-kit/db/database.ts';
import { addVersion, publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { readManifest } from '@renderkit/manifests/read-manifest.ts';

/** Number of remote jobs, by the protocol with which they are followed. */
export const jobsOf = { fal: 150, replicate: 150, 'openai-videos': 150, comfyui: 50 } as const;
export type FollowedEngine = keyof typeof jobsOf;
export const followedEngines = Object.keys(jobsOf) as FollowedEngine[];

const imageRoute = `outputs: { at: /*, kind: image, max_per_job: 1 }`;
const routes: Record<FollowedEngine, string> = {
  fal: `endpoint: fal-ai/flux/dev
    set: { /prompt: { from: prompt }, /seed: { from: seed } }
    ${imageRoute}`,
  replicate: `endpoint: black-forest-labs/flux-dev
    set: { /prompt: { from: prompt }, /seed: { from: seed } }
    ${imageRoute}`,
  'openai-videos': `body: { model: wan }
    set: { /prompt: { from: prompt } }
    outputs: { kind: video, max_per_job: 1 }`,
  comfyui: `workflow: ./blank.workflow.json
    nodes: { image: { id: '1', class: EmptyImage }, save: { id: '2', class: SaveImage } }
    set: { image.width: { from: width }, image.height: { from: height } }
    outputs: { from: [save], kind: image, max_per_job: 1 }`,
};
const workflow = JSON.stringify({
  1: { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color: 0 } },
  2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'blank' } },
});

/** Adds a model and a backend for each protocol, and the renders that wait for them. */
export async function fillQueue(database: Database, urls: Record<FollowedEngine, string>): Promise<void> {
  await database.rows(
    `insert into accounts (id, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at, limit_image,
       limit_edit, limit_video, limit_overall)
     values ('acc', 'free', 0, clock(), clock(), clock() + interval '1 month', 1000, 1000, 1000, 1000)`,
  );
  for (const engine of followedEngines) await fillOne(database, engine, urls[engine]);
  await database.rows('analyze');
}

async function fillOne(database: Database, engine: FollowedEngine, url: string): Promise<void> {
  const source = `
manifest: 1
id: ${engine}
name: Followed
suites: [image]
batch_size: { Conjure: 1 }
parameters: { aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }] }
price: { base_millicredits: 1000 }
routes:
  - name: followed
    engine: ${engine}
    on: [${engine}]
    timeouts: { start: 7200, run: 7200 }
    ${routes[engine]}
`;
  const { manifest, problems } = readManifest(source);
  if (manifest === undefined) throw new Error(JSON.stringify(problems));
  const files: Record<string, string> = engine === 'comfyui' ? { 'blank.workflow.json': workflow } : {};
  await withCatalog(database, async (transaction) => {
    await addVersion(transaction, { manifest, source, files }, 'operator');
    await publishModel(transaction, engine, undefined, 'operator');
  });
  // The backend is never checked: not every counterpart has schemas of these models.
  await database.rows(
    `insert into backends (name, engine, url, slots, next_check_at, checked_revision)
     values ($1, $1, $2, $3, 'infinity', 1000000)`,
    [engine, url, jobsOf[engine]],
  );
  await database.rows(
    `insert into route_fits (backend, model_id, version, route, fits) values ($1, $1, 1, 0, true)`,
    [engine],
  );
  const request = {
    kind: 'image',
    model: engine,
    project_id: null,
    prompt: 'a lighthouse',
    styles: [],
    suggestions: [],
    options: {},
    aspect_ratio: '1:1',
    reference_images: [],
  };
  const shape = { kind: 'image', has: {}, options: {}, pixels: 4096, seconds: null };
  await database.rows(
    `insert into renders (id, account_id, token, client_id, status, kind, lane, model, model_version, request, prompt_id,
       cost_millicredits, expected_outputs, shape, seed, accepted_at, tag)
     select 'rnd_' || $1 || n, 'acc', 'gen_' || $1 || n, 'client', 'queued', 'image', 'image', $1, 1, $2, 'prm', 5000, 1, $3,
       n, clock(), clock()
     from generate_series(1, $4) as n`,
    [engine, JSON.stringify(request), JSON.stringify(shape), jobsOf[engine]],
  );
}
