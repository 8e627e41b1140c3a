import { createHash, randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import {
  type BoundValue,
  type Driver,
  type DriverTools,
  EngineFailure,
  type Handle,
  type RouteFiles,
} from '@renderkit/engine-kit/driver.ts';
import {
  type CheckedStep,
  expectOf,
  greyImage,
  type Step,
  StepFailed,
  type StepName,
  walkSteps,
} from '@renderkit/engine-kit/full-check.ts';
import type { EngineProgress } from '@renderkit/engine-kit/report.ts';
import { ComfyApi, ownFolder } from './comfy-api.ts';
import { createComfyuiDriver } from './driver.ts';

/** This many nodes keep a processor busy for seconds, and a graphics card for one second. */
const slowNodes = 40;
const lookMs = 50;

type Nodes = Record<
  string,
  { class_type: string; inputs: Record<string, string | number | [string, number]> }
>;

interface Job {
  readonly id: string;
  readonly files: RouteFiles;
  readonly handle: Handle;
}

/**
 * Tries everything that a driver relies on, on a real server and with nodes that need no model. Saves a few small
 * images there. Each step is tried even if an earlier step failed. If the server cannot be reached, there is only one
 * step. `check-route.ts` checks what a route needs on the server.
 */
export async function* checkComfyBackend(
  tools: DriverTools,
  signal: AbortSignal,
): AsyncGenerator<CheckedStep> {
  const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-check-'));
  await using http = createBackendHttp(tools.backend);
  await using driver = createComfyuiDriver({ ...tools, pollMs: { first: lookMs, quiet: 2_000 } });
  const check = new BackendCheck(new ComfyApi(http), driver, folder);
  try {
    yield* walkSteps(check.steps, signal);
  } finally {
    await check.tidyUp();
    await rm(folder, { recursive: true, force: true });
  }
}

class BackendCheck {
  readonly steps: Readonly<Record<StepName, Step>> = {
    reach: (signal) => this.#reach(signal),
    version: (signal) => this.#version(signal),
    'submit with own id': (signal) => this.#submit(signal),
    progress: (signal) => this.#progress(signal),
    upload: (signal) => this.#upload(signal),
    render: (signal) => this.#render(signal),
    'fetch with a range': (signal) => this.#fetchRange(signal),
    'invalid graph': (signal) => this.#invalid(signal),
    'queue delete': (signal) => this.#dequeue(signal),
    'interrupt by id': (signal) => this.#interrupt(signal),
    'cached run': (signal) => this.#cached(signal),
    restart: (signal) => this.#restart(signal),
  };
  readonly #api: ComfyApi;
  readonly #driver: Driver;
  readonly #folder: string;
  readonly #open = new Set<Job>();
  #uploaded: BoundValue[] = [];
  #rendered: Job | undefined;
  #running: Job | undefined;

  constructor(api: ComfyApi, driver: Driver, folder: string) {
    this.#api = api;
    this.#driver = driver;
    this.#folder = folder;
  }

  /** Ends the jobs that a failed step left behind. */
  async tidyUp(): Promise<void> {
    for (const job of this.#open)
      await this.#driver.cancel(job.handle, AbortSignal.timeout(10_000)).catch(() => 'unknown');
  }

  async #reach(signal: AbortSignal): Promise<string> {
    const { queue } = await this.#driver.probe(signal);
    return `It answers; ${queue ?? 'an unknown number of'} jobs wait or run there.`;
  }

  async #version(signal: AbortSignal): Promise<string> {
    const { version } = await this.#driver.probe(signal);
    const isNew = await this.#api.isVersionFrom([0, 3, 57], signal);
    expectOf(isNew, `ComfyUI ${version} cannot interrupt a job by its id: update it to 0.3.57 or later.`);
    const jobs = (await this.#api.hasJobRoutes(signal)) ? ', with /api/jobs' : '';
    return `ComfyUI ${version}${jobs}.`;
  }

  async #submit(signal: AbortSignal): Promise<string> {
    const job = await this.#send(quickGraph(), [], signal);
    const { promptId } = job.handle as { promptId: string };
    expectOf(
      promptId === job.id,
      'It chooses the ids of jobs itself, so that a lost answer cannot be found again.',
    );
    const paths = await this.#follow(job, signal);
    expectOf(paths.length === 1, 'The job ended without its image.');
    return 'It took a job under the id that it was given.';
  }

  async #progress(signal: AbortSignal): Promise<string> {
    const job = await this.#send(slowGraph(2), [], signal);
    const told: EngineProgress[] = [];
    await this.#follow(job, signal, told);
    const fractions = told.map(({ fraction }) => fraction ?? 0).filter((one) => one > 0 && one < 1);
    expectOf(fractions.length > 0, 'No event came over /ws: is there a proxy that lets no WebSocket pass?');
    return `${fractions.length} events came over /ws.`;
  }

  async #upload(signal: AbortSignal): Promise<string> {
    const sha256 = createHash('sha256').update(greyImage).digest('hex');
    const file = path.join(this.#folder, 'upload.png');
    await writeFile(file, greyImage);
    const media = { path: file, sha256, contentType: 'image/png', sizeBytes: greyImage.length } as const;
    this.#uploaded = [{ target: 'source.image', kind: 'media', media: [media], several: false }];
    const [first, second] = [await this.#api.upload(media, signal), await this.#api.upload(media, signal)];
    expectOf(first === second, `The same file twice is ${first} and ${second}.`);
    return `${first}; the same again is the same.`;
  }

  async #render(signal: AbortSignal): Promise<string> {
    const job = await this.#send(loadingGraph, this.#uploaded, signal);
    const paths = await this.#follow(job, signal);
    expectOf(paths.length === 1, 'The job ended without its image.');
    this.#rendered = job;
    return 'An image went through LoadImage and SaveImage, and came back.';
  }

  async #fetchRange(signal: AbortSignal): Promise<string> {
    const { id } = this.#expectRendered();
    const file = { filename: 'r_00001_.png', subfolder: `${ownFolder}/${id}`, type: 'output' };
    const part = await this.#api.readRange(file, 'bytes=1-3', signal);
    expectOf(
      part?.bytes.toString('latin1') === 'PNG',
      'A part of a result does not come as it was asked for.',
    );
    return `Bytes 1 to 3 of ${part?.sizeBytes} came alone.`;
  }

  async #invalid(signal: AbortSignal): Promise<string> {
    const graph = quickGraph();
    const source = graph['1'];
    if (source !== undefined) source.inputs['width'] = 0;
    try {
      await this.#send(graph, [], signal);
    } catch (error) {
      if (error instanceof EngineFailure && error.blame === 'pair' && error.sent === 'no')
        return error.message;
      throw error;
    }
    throw new StepFailed('It took a graph whose width is 0.');
  }

  async #dequeue(signal: AbortSignal): Promise<string> {
    this.#running = await this.#send(slowGraph(slowNodes), [], signal);
    const waiting = await this.#send(quickGraph(), [], signal);
    const outcome = await this.#driver.cancel(waiting.handle, signal);
    this.#open.delete(waiting);
    expectOf(outcome === 'canceled', `A waiting job is ${outcome}.`);
    const { at } = await this.#api.find(this.#running.id, signal);
    expectOf(at === 'running' || at === 'pending', 'The job before it is gone as well.');
    return 'A waiting job was taken out of the queue, and the one before it goes on.';
  }

  async #interrupt(signal: AbortSignal): Promise<string> {
    const running = this.#running ?? (await this.#send(slowGraph(slowNodes), [], signal));
    while ((await this.#api.find(running.id, signal)).at === 'pending')
      await sleep(lookMs, undefined, { signal });
    await this.#api.interrupt(randomUUID(), signal);
    await sleep(4 * lookMs, undefined, { signal });
    const { at } = await this.#api.find(running.id, signal);
    expectOf(
      at === 'running',
      'The job ended too early: this server is too fast for this step, or ends any job for any id.',
    );
    let outcome = await this.#driver.cancel(running.handle, signal);
    // A job ends between two of its nodes, and on a slow machine one node takes long.
    while (outcome === 'unknown') {
      await sleep(10 * lookMs, undefined, { signal });
      outcome = await this.#driver.cancel(running.handle, signal);
    }
    this.#open.delete(running);
    expectOf(outcome === 'canceled', `A running job is ${outcome}.`);
    return 'A running job was ended by its id, and not by another.';
  }

  async #cached(signal: AbortSignal): Promise<string> {
    const { id, files } = this.#expectRendered();
    const prepared = await this.#prepare(id, files, this.#uploaded, signal);
    const handle = await this.#driver.submit(prepared, randomUUID(), signal);
    const paths = await this.#follow({ id, files, handle }, signal);
    expectOf(paths.length === 1, 'A graph that is cached whole gives no files.');
    return 'The same graph again gives the same files.';
  }

  /** The check cannot restart the server. It deletes the job from the history instead. */
  async #restart(signal: AbortSignal): Promise<string> {
    const { id, files } = this.#expectRendered();
    await this.#api.deleteHistory(id, signal);
    const { at } = await this.#api.find(id, signal);
    expectOf(at === 'absent', 'It did not forget a job that was deleted from its history.');
    const prepared = await this.#prepare(id, files, this.#uploaded, signal);
    const found = await this.#driver.find(prepared, id, new Date(), signal);
    expectOf(typeof found === 'object', 'The result of a job that it forgot is not found by its name.');
    const handle = { promptId: id, clientId: null };
    expectOf(
      (await this.#follow({ id, files, handle }, signal)).length === 1,
      'That result cannot be fetched.',
    );
    return 'The result of a job that it forgot is found by its name.';
  }

  #expectRendered(): Job {
    if (this.#rendered === undefined) throw new StepFailed('Nothing was rendered before.');
    return this.#rendered;
  }

  async #send(graph: Nodes, values: readonly BoundValue[], signal: AbortSignal): Promise<Job> {
    const id = randomUUID();
    const files = routeOver(graph);
    const prepared = await this.#prepare(id, files, values, signal);
    const job = { id, files, handle: await this.#driver.submit(prepared, id, signal) };
    this.#open.add(job);
    return job;
  }

  #prepare(id: string, files: RouteFiles, values: readonly BoundValue[], signal: AbortSignal) {
    return this.#driver.prepare({ ...files, id, values, outputs: 1 }, signal);
  }

  async #follow(job: Job, signal: AbortSignal, told: EngineProgress[] = []): Promise<string[]> {
    const folder = path.join(this.#folder, randomUUID());
    const followed = { ...job.files, id: job.id, outputs: 1, folder };
    for await (const news of this.#driver.follow(job.handle, followed, signal)) {
      if (news.type === 'progress') told.push(news);
      if (news.type !== 'result') continue;
      this.#open.delete(job);
      return news.files.map((file) => file.path);
    }
    return [];
  }
}

const loadingGraph: Nodes = {
  '1': { class_type: 'LoadImage', inputs: { image: 'example.png' } },
  '9': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
};

/** Makes a graph with a random colour, so that its result is not cached. */
function quickGraph(): Nodes {
  const color = randomInt(0x1000000);
  return {
    '1': { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color } },
    '9': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
  };
}

function slowGraph(nodes: number): Nodes {
  const size = { width: 1400, height: 1400, batch_size: 2, color: randomInt(0x1000000) };
  const graph: Nodes = { b0: { class_type: 'EmptyImage', inputs: size } };
  for (let at = 1; at <= nodes; at += 1) {
    const inputs = {
      image: [`b${at - 1}`, 0] satisfies [string, number],
      blur_radius: 12,
      sigma: 3 + at / 100,
    };
    graph[`b${at}`] = { class_type: 'ImageBlur', inputs: { ...inputs } };
  }
  graph['9'] = { class_type: 'SaveImage', inputs: { images: [`b${nodes}`, 0], filename_prefix: 'x' } };
  return graph;
}

function routeOver(graph: Nodes): RouteFiles {
  const isLoading = graph['1']?.class_type === 'LoadImage';
  return {
    route: {
      name: 'check',
      engine: 'comfyui',
      on: [],
      workflow: 'check.json',
      nodes: {
        source: { id: '1', class: graph['1']?.class_type ?? '' },
        save: { id: '9', class: 'SaveImage' },
      },
      set: isLoading ? { 'source.image': { from: 'image' } } : {},
      outputs: { kind: 'image', max_per_job: 1, from: ['save'] },
    },
    files: new Map([['check.json', JSON.stringify(graph)]]),
  };
}
