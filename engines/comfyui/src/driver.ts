import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BackendHttp, createBackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import {
  type CreateDriver,
  type Driver,
  type DriverTools,
  EngineFailure,
  type EngineHealth,
  type EngineJob,
  type EngineResult,
  type FollowedJob,
  type Handle,
  type Prepared,
  type RouteFiles,
} from '@renderkit/engine-kit/driver.ts';
import type { EnginePreview, EngineProgress } from '@renderkit/engine-kit/report.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';
import { assembleGraph, type BoundInput, boundInputs, readWorkflow } from './assemble-graph.ts';
import { cancelJob } from './cancel-job.ts';
import { checkRoute } from './check-route.ts';
import { checkVersion } from './check-version.ts';
import { ClassCatalog, spellFiles } from './classes.ts';
import { ComfyApi, jsonOf } from './comfy-api.ts';
import { ComfySocket } from './comfy-socket.ts';
import { type ComfyHandle, followJob } from './follow-job.ts';
import { writeGraph } from './graph.ts';
import { isArray, type Json, textAt, valueAt, writeJson } from './json.ts';
import { hasNodeErrors, refusalFailure } from './graph-refusal.ts';
import { findResultFiles, planResults, type ResultPlan } from './results.ts';
import { targetSpecs } from './target-specs.ts';

/** A prepared call. */
interface PreparedGraph {
  /** In API format, with every digit of its seeds. */
  readonly graph: string;
  readonly bound: readonly BoundInput[];
  readonly plan: ResultPlan;
}

/** Older servers choose the ids of jobs themselves, so a job cannot be found there by our id. */
const ownIdSince = [0, 3, 45] as const;
const defaultLookMs = 500;
/** Milliseconds that a job waits for the connection for events. Then it goes on without a connection. */
const openMs = 1000;
/** A job that was never seen counts as absent after this many checks: a server may read a request after a later one. */
const looksUntilAbsent = 10;
/** Milliseconds for which the digest of a backend's files and packs is kept. */
const maxStockAgeMs = 60_000;
/** The folders of `models` whose files workflows name most. */
const watchedFolders = [
  'checkpoints',
  'diffusion_models',
  'loras',
  'vae',
  'text_encoders',
  'controlnet',
  'clip_vision',
  'upscale_models',
];

/** Creates a driver for one ComfyUI. README.md describes its promises and the traps that it handles. */
export const createComfyuiDriver: CreateDriver = (tools) => new ComfyuiDriver(tools);

class ComfyuiDriver implements Driver {
  readonly #name: string;
  readonly #pollMs: DriverTools['pollMs'];
  readonly #lookMs: number;
  readonly #http: BackendHttp;
  readonly #api: ComfyApi;
  readonly #socket: ComfySocket;
  readonly #catalog: ClassCatalog;
  readonly #stock: Stock;
  readonly #lifetime = new AbortController();
  #lastDigest: string | null = null;

  constructor({ backend, log, pollMs }: DriverTools) {
    this.#name = backend.name;
    this.#pollMs = pollMs;
    this.#lookMs = pollMs?.first ?? defaultLookMs;
    this.#http = createBackendHttp(backend);
    this.#api = new ComfyApi(this.#http);
    this.#socket = new ComfySocket(backend, log);
    this.#catalog = new ClassCatalog(this.#api, this.#lifetime.signal);
    this.#stock = new Stock(this.#api);
  }

  async prepare(job: EngineJob, signal: AbortSignal): Promise<Prepared> {
    const uploads = new Map<string, string>();
    for (const media of job.values.flatMap((bound) => (bound.kind === 'media' ? bound.media : [])))
      if (!uploads.has(media.sha256)) uploads.set(media.sha256, await this.#api.upload(media, signal));
    const graph = assembleGraph(job, { id: job.id, values: job.values, uploads });
    const prepared: PreparedGraph = {
      graph: writeGraph(await spellFiles(graph, this.#catalog, signal)),
      bound: boundInputs(job),
      plan: planResults(job, job.id, job.outputs),
    };
    return prepared as unknown as Prepared;
  }

  async submit(prepared: Prepared, id: string, signal: AbortSignal): Promise<Handle> {
    const { graph, bound } = readPrepared(prepared);
    const clientId = await this.#socket.openClientId(openMs, signal);
    const body = `{"prompt_id":${JSON.stringify(id)},"client_id":${JSON.stringify(clientId)},"prompt":${graph}}`;
    const answer = await this.#api.submit(body, signal);
    // Newer servers accept an id once: the job is there already.
    if (answer.status === 409) return handleOf(id, null);
    const json = jsonOf(answer);
    if (answer.status === 400 && valueAt(json, 'error') !== undefined) {
      this.#catalog.forget();
      throw refusalFailure(this.#name, json, bound);
    }
    if (answer.status !== 200) this.#api.refuse(answer, 'it was sent a job');
    const promptId = valueAt(json, 'prompt_id');
    if (typeof promptId !== 'string') throw lostAnswer(this.#name);
    if (!hasNodeErrors(json)) return handleOf(promptId, clientId);
    // ComfyUI left out some outputs without an error. The remaining ones are not the whole order.
    this.#catalog.forget();
    await cancelJob(this.#api, promptId, { lookMs: this.#lookMs, signal });
    throw refusalFailure(this.#name, json, bound);
  }

  async find(
    prepared: Prepared,
    id: string,
    _since: Date,
    signal: AbortSignal,
  ): Promise<{ handle: Handle } | 'absent' | 'unknown'> {
    for (let look = 1; ; look += 1) {
      const { at } = await this.#api.find(id, signal);
      if (at !== 'absent') return { handle: handleOf(id, null) };
      if (look === looksUntilAbsent) break;
      await sleep(this.#lookMs, undefined, { signal });
    }
    // The result may have been made before ComfyUI was restarted.
    const files = await findResultFiles(this.#api, readPrepared(prepared).plan, signal);
    if (files.length > 0) return { handle: handleOf(id, null) };
    return (await this.#api.isVersionFrom(ownIdSince, signal)) ? 'absent' : 'unknown';
  }

  follow(
    handle: Handle,
    job: FollowedJob,
    signal: AbortSignal,
  ): AsyncIterable<EngineProgress | EnginePreview | EngineResult> {
    const server = { api: this.#api, socket: this.#socket, pollMs: this.#pollMs };
    return followJob({ handle: readHandle(handle), job, ...server }, signal);
  }

  cancel(handle: Handle, signal: AbortSignal): Promise<'canceled' | 'too_late' | 'unknown'> {
    return cancelJob(this.#api, readHandle(handle).promptId, { lookMs: this.#lookMs, signal });
  }

  async probe(signal: AbortSignal): Promise<EngineHealth> {
    const stats = await this.#api.systemStats(signal);
    const queue = await this.#api.queueLength(signal);
    const health = healthOf(stats, queue, await this.#stock.digest(signal));
    if (health.version === null) throw noComfyUi(this.#name);
    if (health.digest !== this.#lastDigest) {
      this.#catalog.forget();
      this.#api.forget();
    }
    this.#lastDigest = health.digest;
    return health;
  }

  async check(files: RouteFiles, signal: AbortSignal): Promise<Problem[]> {
    const place = { backend: this.#name, api: this.#api };
    const tooOld = await checkVersion(files.route.requires?.comfyui, place, signal);
    return [...tooOld, ...(await checkRoute(files, { ...place, catalog: this.#catalog }, signal))];
  }

  async targets(files: RouteFiles, signal: AbortSignal): Promise<TargetSpecs> {
    const graph = readWorkflow(files);
    const nodes = boundInputs(files).map(({ node }) => graph.get(node)?.classType ?? '');
    return targetSpecs(files.route, graph, await this.#catalog.find(nodes, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lifetime.abort(new Error('The driver was closed.'));
    this.#socket[Symbol.dispose]();
    await this.#http[Symbol.asyncDispose]();
  }
}

/** Returns the graph that this driver itself prepared. */
function readPrepared(prepared: Prepared): PreparedGraph {
  return prepared as unknown as PreparedGraph;
}

function readHandle(handle: Handle): ComfyHandle {
  return handle as unknown as ComfyHandle;
}

function handleOf(promptId: string, clientId: string | null): Handle {
  const handle: ComfyHandle = { promptId, clientId };
  return { ...handle };
}

function lostAnswer(backend: string): EngineFailure {
  return new EngineFailure(`${backend} did not answer as a ComfyUI does when it was sent a job.`, {
    blame: 'backend',
    code: 'engine_unavailable',
    sent: 'unknown',
  });
}

function noComfyUi(backend: string): EngineFailure {
  return new EngineFailure(`What answers as ${backend} is no ComfyUI.`, {
    blame: 'backend',
    code: 'engine_unavailable',
    lasting: true,
  });
}

function healthOf(stats: Json, queue: number | null, stock: string): EngineHealth {
  const system = valueAt(stats, 'system');
  const version = textAt(system, 'comfyui_version');
  const devices = valueAt(stats, 'devices');
  const vram = isArray(devices) ? devices.map((device) => Number(valueAt(device, 'vram_total'))) : [];
  const argv = valueAt(system, 'argv');
  const built = ['comfyui_version', 'python_version', 'pytorch_version'].map((key) => textAt(system, key));
  const text = writeJson([...built, argv ?? null, stock]);
  return {
    version: version === '' ? null : version,
    digest: createHash('sha256').update(text).digest('hex'),
    queue,
    vramBytes: vram.length > 0 && vram.every(Number.isFinite) ? Math.max(...vram) : null,
  };
}

/** A digest of the model files and node packs of a backend, as far as cheap requests show them. */
class Stock {
  readonly #api: ComfyApi;
  #digest = '';
  #at = Number.NEGATIVE_INFINITY;

  constructor(api: ComfyApi) {
    this.#api = api;
  }

  async digest(signal: AbortSignal): Promise<string> {
    if (performance.now() - this.#at < maxStockAgeMs) return this.#digest;
    const lists: Json[] = [await this.#api.extensions(signal)];
    for (const folder of watchedFolders) lists.push(await this.#api.modelFiles(folder, signal));
    this.#digest = createHash('sha256')
      .update(writeJson(lists.map(sorted)))
      .digest('hex');
    this.#at = performance.now();
    return this.#digest;
  }
}

function sorted(list: Json): Json {
  return isArray(list) ? list.map((one) => textAt(one)).toSorted() : list;
}
