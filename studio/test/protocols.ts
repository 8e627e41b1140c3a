// Every protocol for renders, each with one model and a counterpart that counts the jobs that it is asked to make.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { A1111Counterpart } from '@renderkit/engine-a1111/testing/counterpart.ts';
import { ComfyCounterpart } from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { FalCounterpart } from '@renderkit/engine-fal/testing/counterpart.ts';
import type { EngineName } from '@renderkit/engine-kit/route.ts';
import type { Counterpart } from '@renderkit/engine-kit/testing/counterpart.ts';
import { ImagesCounterpart } from '@renderkit/engine-openai-images/testing/counterpart.ts';
import { VideosCounterpart } from '@renderkit/engine-openai-videos/testing/counterpart.ts';
import { CogCounterpart } from '@renderkit/engine-replicate/testing/cog-counterpart.ts';
import { ReplicateCounterpart } from '@renderkit/engine-replicate/testing/counterpart.ts';
import { addVersion, publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { readManifest } from '@renderkit/manifests/read-manifest.ts';
import type { TestStudio } from './harness.ts';
import { makeImage, makeMedia } from './media-files.ts';

/** Where a worker dies: between the commit of the row and the end of the submission. */
export const points = ['intended', 'begun', 'posted', 'sent', 'result', 'stored', 'ended'] as const;
/** How the connection breaks during a submission. */
export const breaks = ['lost_answer', 'lost_request', 'cut_off', 'nonsense'] as const;
export type Moment = (typeof points)[number] | (typeof breaks)[number];

/**
 * `once`: one job for each submission, one charge, all results. `anew`: the answer of the operator's own machine is
 * lost when the caller dies, so one more job may run; the user pays once. `unknown`: the render failed, was refunded,
 * reported this, and was not sent again.
 */
export type Fate = 'once' | 'anew' | 'unknown';

/** A protocol in use. Its name is also that of the model and of the backend. */
export type Protocol = AsyncDisposable & {
  readonly name: string;
  readonly kind: 'image' | 'video';
  readonly outputs: number;
  /** The number of jobs for these outputs when nothing goes wrong. */
  readonly submissions: number;
  readonly maxPerJob: number;
  /** The provider's price in US dollars; `null` for the operator's own machine. */
  readonly perOutput: number | null;
  /** `null`: the protocol has no server. */
  readonly counterpart: Counterpart | null;
  jobs: () => Promise<number>;
  fateAt: (moment: Moment) => Fate;
};

type Definition = {
  engine: EngineName;
  kind?: 'image' | 'video';
  /** YAML of the route, without the part that all routes share. */
  route: string;
  files?: Record<string, string>;
  outputs?: number;
  maxPerJob?: number;
  perOutput?: number;
  /** The address that an operator would enter. */
  urlOf?: (counterpart: Counterpart) => string;
  start: (results: Results) => Counterpart | null;
  fates?: Partial<Record<Moment, Fate>>;
};

type Results = { image: Buffer; video: Buffer };

const graph = {
  '1': { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color: 3_368_601 } },
  '9': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'ComfyUI' } },
};

const duringTheCall = ['posted', 'sent', 'result', 'stored', 'lost_answer', 'cut_off', 'nonsense'] as const;
const fates = (fate: Fate, ...moments: Moment[]) =>
  Object.fromEntries(moments.map((moment) => [moment, fate]));

/**
 * fal lists no running requests, so a request that is not in its list is unknown. For videos, nothing distinguishes a
 * request from another account's.
 */
const definitions: Record<string, Definition> = {
  comfyui: {
    engine: 'comfyui',
    route: `
    workflow: ./comfyui.workflow.json
    nodes: { empty: { id: '1', class: EmptyImage }, save: { id: '9', class: SaveImage } }
    set: { empty.batch_size: { from: outputs } }
    outputs: { from: [save], kind: image, max_per_job: 2 }`,
    files: { 'comfyui.workflow.json': JSON.stringify(graph) },
    start: () => new ComfyCounterpart(),
  },
  fal: {
    engine: 'fal',
    route: `
    endpoint: fal-ai/flux/dev
    set: { /prompt: { text: '{prompt}' }, /num_images: { from: outputs }, /seed: { from: seed } }
    outputs: { at: /images/*/url, kind: image, max_per_job: 2 }`,
    perOutput: 0.01,
    start: ({ image }) => Object.assign(new FalCounterpart(), { resultOf: () => image }),
    fates: fates('unknown', 'begun', 'lost_request'),
  },
  replicate: {
    engine: 'replicate',
    route: `
    endpoint: black-forest-labs/flux-dev
    set: { /prompt: { text: '{prompt}' }, /num_outputs: { from: outputs }, /seed: { from: seed } }
    outputs: { at: /*, kind: image, max_per_job: 2 }`,
    perOutput: 0.01,
    urlOf: ({ url }) => `${url}/v1`,
    start: ({ image }) => Object.assign(new ReplicateCounterpart(), { resultOf: () => image }),
  },
  cog: {
    engine: 'replicate',
    route: `
    endpoint: predictions
    on_unknown: retry
    set: { /prompt: { text: '{prompt}' }, /count: { from: outputs } }
    outputs: { at: /*, kind: image, max_per_job: 2 }`,
    start: ({ image }) => Object.assign(new CogCounterpart(), { resultOf: () => image }),
    fates: fates('anew', 'begun', 'lost_request', ...duringTheCall),
  },
  'openai-images': {
    engine: 'openai-images',
    route: `
    call: generations
    body: { model: gpt-image-1 }
    set: { /prompt: { text: '{prompt}' }, /n: { from: outputs } }
    outputs: { at: /data/*/b64_json, kind: image, max_per_job: 2 }`,
    perOutput: 0.01,
    urlOf: ({ url }) => `${url}/v1`,
    start: ({ image }) => Object.assign(new ImagesCounterpart(), { resultOf: () => image }),
    fates: fates('unknown', 'begun', 'lost_request', ...duringTheCall),
  },
  'openai-videos': {
    engine: 'openai-videos',
    kind: 'video',
    route: `
    body: { model: wan }
    set: { /prompt: { text: '{prompt}' }, /seconds: { from: duration_seconds, as: string } }
    outputs: { kind: video, max_per_job: 1 }`,
    outputs: 1,
    maxPerJob: 1,
    perOutput: 0.01,
    urlOf: ({ url }) => `${url}/v1`,
    start: ({ video }) => Object.assign(new VideosCounterpart(), { resultOf: () => video }),
    fates: fates('unknown', 'posted', 'lost_answer', 'cut_off', 'nonsense'),
  },
  a1111: {
    engine: 'a1111',
    route: `
    call: txt2img
    set: { /prompt: { text: '{prompt}' }, /batch_size: { from: outputs } }
    outputs: { at: /images/*, kind: image, max_per_job: 2 }`,
    start: ({ image }) => Object.assign(new A1111Counterpart(), { resultOf: () => image }),
    fates: fates('anew', 'lost_request', ...duringTheCall),
  },
  command: {
    engine: 'command',
    route: '',
    maxPerJob: 1,
    start: () => null,
  },
};

/** Publishes a model for each protocol and starts its counterpart. `only`: the protocols to open. */
export async function openProtocols(
  studio: TestStudio,
  only = Object.keys(definitions),
): Promise<AsyncDisposable & { all: Protocol[] }> {
  await using owners = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'protocols-'));
  owners.defer(() => rm(folder, { recursive: true, force: true }));
  const results = {
    image: await makeImage({ width: 128, height: 128 }),
    video: only.includes('openai-videos')
      ? await makeMedia(folder, 'made.mp4', { size: '128x128' })
      : Buffer.alloc(0),
  };
  const all: Protocol[] = [];
  for (const name of only) {
    const definition = definitions[name];
    if (definition === undefined) throw new Error(`${name} is no protocol`);
    all.push(owners.use(await openProtocol(studio, name, definition, { folder, results })));
  }
  const owned = owners.move();
  return { all, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function openProtocol(
  { database }: TestStudio,
  name: string,
  definition: Definition,
  { folder, results }: { folder: string; results: Results },
): Promise<Protocol> {
  const { engine, kind = 'image', outputs = 3, maxPerJob = 2, perOutput = null, files = {} } = definition;
  const counterpart = (await definition.start(results)?.start()) ?? null;
  const ran = path.join(folder, `${name}.ran`);
  const route = engine === 'command' ? await commandRoute(folder, ran, results.image) : definition.route;
  const source = sourceOf(name, { ...definition, kind, outputs, route });
  const { manifest, problems } = readManifest(source);
  if (manifest === undefined) throw new Error(`${name}: ${JSON.stringify(problems)}`);
  await withCatalog(database, async (transaction) => {
    await addVersion(transaction, { manifest, source, files }, 'operator');
    await publishModel(transaction, name, undefined, 'operator');
  });
  await database.execute(
    `insert into backends (name, engine, url, slots, next_check_at, checked_revision)
     values ($1, $2, $3, 1, 'infinity', 1000000)`,
    [name, engine, counterpart && (definition.urlOf?.(counterpart) ?? counterpart.url)],
  );
  await database.execute(
    `insert into route_fits (backend, model_id, version, route, fits) values ($1, $1, 1, 0, true)
     on conflict do nothing`,
    [name],
  );
  return {
    name,
    kind,
    outputs,
    submissions: Math.ceil(outputs / maxPerJob),
    maxPerJob,
    perOutput,
    counterpart,
    jobs: async () => counterpart?.jobs ?? (await readFile(ran, 'utf8').catch(() => '')).length,
    fateAt: (moment) => definition.fates?.[moment] ?? 'once',
    [Symbol.asyncDispose]: async () => counterpart?.[Symbol.asyncDispose](),
  };
}

/** Writes an operator's program that logs each run and copies one picture. Returns its route. */
async function commandRoute(folder: string, ran: string, image: Buffer): Promise<string> {
  const [picture, program] = [path.join(folder, 'picture.png'), path.join(folder, 'program.mjs')];
  await writeFile(picture, image);
  await writeFile(
    program,
    `import { appendFileSync, copyFileSync } from 'node:fs';
     appendFileSync(${JSON.stringify(ran)}, '.');
     copyFileSync(${JSON.stringify(picture)}, process.argv[3] + '/result.png');`,
  );
  return `
    run: [${JSON.stringify(process.execPath)}, ${JSON.stringify(program)}, '{text}', '{out}']
    set: { text: { text: '{prompt}' } }
    outputs: { files: '*.png', kind: image, max_per_job: 1 }`;
}

function sourceOf(
  name: string,
  {
    engine,
    kind,
    outputs,
    perOutput,
    route,
  }: Pick<Definition, 'engine' | 'route' | 'perOutput'> & {
    kind: 'image' | 'video';
    outputs: number;
  },
): string {
  const offer =
    kind === 'image'
      ? `suites: [image]
batch_size: { Conjure: ${outputs} }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }]`
      : `suites: [video]
batch_size: { Motion: ${outputs} }
parameters:
  video_sizes: { '1:1': { width: 128, height: 128 } }
  durations: [{ value: '1', label: 1 second }]`;
  return `
manifest: 1
id: ${name}
name: ${name}
${offer}
price: { base_millicredits: 3000 }
routes:
  - name: only
    engine: ${engine}
    on: [${name}]${route}
    timeouts: { run: 300 }
    ${perOutput === undefined ? '' : `cost: { currency: USD, per_output: ${perOutput} }`}
`;
}
