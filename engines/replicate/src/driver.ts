import {
  isObject,
  isSuccess,
  parseJson,
  readObject,
  refusalOf,
} from '@renderkit/engine-kit/backend-answer.ts';
import { createBackendHttp, submitAnswerMs, type BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import {
  bodyWithMedia,
  dataUriOf,
  blameOfField,
  fromPrepared,
  pointerOf,
  prepareCall,
  type Call,
} from '@renderkit/engine-kit/call.ts';
import { createDownloads, type Downloads } from '@renderkit/engine-kit/download.ts';
import {
  EngineFailure,
  type CreateDriver,
  type Driver,
  type DriverTools,
  type EngineHealth,
  type EngineJob,
  type EngineResult,
  type FollowedJob,
  type Found,
  type Handle,
  type Prepared,
  type PreparedMedia,
  type RouteFiles,
} from '@renderkit/engine-kit/driver.ts';
import type { EngineProgress } from '@renderkit/engine-kit/report.ts';
import { countAt, measuredCost } from '@renderkit/engine-kit/measured-cost.ts';
import { pollJob } from '@renderkit/engine-kit/poll.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { saveResults } from '@renderkit/engine-kit/result-files.ts';
import type { JsonObject, JsonValue } from '@renderkit/engine-kit/route.ts';
import type { TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';
import { checkReplicateRoute, createReadSchemas, type ReadSchemas, replicateTargets } from './check.ts';
import { CogDriver } from './cog-driver.ts';
import { endpointOf } from './endpoint.ts';
import { findPrediction } from './find-prediction.ts';
import { failureOfPrediction } from './prediction-failure.ts';

/** Media up to this size are part of the call, as data URIs. */
const maxInlineBytes = 5_000_000;
const maxUploadBytes = 100 * 1024 * 1024;
const uploadSilentMs = 60_000;
/** Maximum bytes of a prediction: some predictions contain the pictures themselves. */
const maxPredictionBytes = 256 * 1024 * 1024;
/** Seconds that a prediction may take beyond the route's own limits, in case no worker cancels it. */
const graceSeconds = 120;

/** A call, its endpoint, and the addresses of media that were too large for the call itself. */
export interface ReplicateCall extends Call {
  readonly endpoint: string;
  readonly cancelAfterSeconds: number | null;
  readonly uploaded: Readonly<Record<string, string>>;
}

interface ReplicateHandle {
  readonly id: string;
  readonly get: string;
  readonly cancel: string;
}

/**
 * Creates a driver for Replicate's predictions, or for one's own Cog server where the address has no path such as
 * `/v1`.
 */
export const createReplicateDriver: CreateDriver = (tools) =>
  isCogServer(tools) ? new CogDriver(tools) : new ReplicateDriver(tools);

/** Returns whether the backend's address is that of a Cog server. */
export function isCogServer({ backend }: DriverTools): boolean {
  return new URL(backend.url).pathname === '/';
}

class ReplicateDriver implements Driver {
  readonly #tools: DriverTools;
  readonly #http: BackendHttp;
  readonly #schemas: ReadSchemas;
  readonly #downloads: Downloads;

  constructor(tools: DriverTools) {
    this.#tools = tools;
    this.#http = createBackendHttp(tools.backend);
    this.#schemas = createReadSchemas(this.#http);
    this.#downloads = createDownloads(tools.backend, this.#http);
  }

  async prepare(job: EngineJob, signal: AbortSignal): Promise<Prepared> {
    const call = prepareCall(job);
    const uploaded: Record<string, string> = {};
    for (const file of call.media.flatMap(({ files }) => files)) {
      if (file.sizeBytes > maxInlineBytes) uploaded[file.sha256] = await this.#upload(file, signal);
    }
    const { endpoint = '', timeouts } = job.route;
    const run = timeouts?.run;
    const cancelAfterSeconds = run === undefined ? null : (timeouts?.start ?? 0) + run + graceSeconds;
    const prepared: ReplicateCall = { ...call, endpoint, cancelAfterSeconds, uploaded };
    return prepared as unknown as Prepared;
  }

  async #upload(file: PreparedMedia, signal: AbortSignal): Promise<string> {
    const { path, sizeBytes, contentType, sha256 } = file;
    if (sizeBytes > maxUploadBytes) {
      throw new EngineFailure(`A file of ${sizeBytes} bytes is too large for ${this.#http.backend}.`, {
        blame: 'pair',
        code: 'render_failed',
        tooLarge: true,
      });
    }
    const fileName = `${sha256}.${contentType.split('/')[1]}`;
    const answer = await this.#http.send({
      method: 'POST',
      to: '/files',
      multipart: [{ name: 'content', path, sizeBytes, contentType, fileName }],
      silentMs: uploadSilentMs,
      signal,
    });
    const { urls } = readObject(this.#http, answer, 'given a file');
    const address = isObject(urls) ? urls['get'] : undefined;
    if (typeof address === 'string') return address;
    throw this.#unclear('took a file and did not name it', 'no');
  }

  async submit(prepared: Prepared, _id: string, signal: AbortSignal): Promise<Handle> {
    const call = fromPrepared(prepared) as ReplicateCall;
    const { path, version } = endpointOf(call.endpoint);
    const textOf = async (file: PreparedMedia) => call.uploaded[file.sha256] ?? (await dataUriOf(file));
    const input = await bodyWithMedia(call, textOf);
    const { answer } = await this.#http.begin({
      method: 'POST',
      to: path,
      json: version === null ? { input } : { version, input },
      headers: {
        // Ends jobs that no worker follows any more.
        ...(call.cancelAfterSeconds !== null && { 'cancel-after': `${call.cancelAfterSeconds}s` }),
      },
      answerMs: submitAnswerMs,
      signal,
    });
    const taken = await answer;
    if (!isSuccess(taken)) {
      const json = parseJson(taken);
      const fields = isObject(json) ? (json['invalid_fields'] ?? json['detail']) : undefined;
      const first = Array.isArray(fields) ? (fields as JsonValue[]).find(isObject) : undefined;
      const isField = taken.status === 422 && first !== undefined;
      const blame = isField ? blameOfField(call, pointerOf(first['loc'], ['body', 'input'])) : {};
      throw refusalOf(this.#http, taken, 'asked for a prediction', blame);
    }
    const prediction = readObject(this.#http, taken, 'asked for a prediction');
    const handle = this.#handleOf(prediction);
    if (handle === null) throw this.#unclear('took a prediction and did not name it', 'unknown');
    return handle as unknown as Handle;
  }

  #unclear(what: string, sent: 'no' | 'unknown'): EngineFailure {
    return new EngineFailure(`${this.#http.backend} ${what}.`, {
      blame: 'backend',
      code: 'engine_unavailable',
      sent,
    });
  }

  #handleOf({ id, urls }: JsonObject): ReplicateHandle | null {
    if (typeof id !== 'string' || id === '') return null;
    const own = `/predictions/${encodeURIComponent(id)}`;
    const pick = (key: string, path: string) => {
      const address = isObject(urls) ? urls[key] : undefined;
      return typeof address === 'string' && this.#http.isOwn(address) ? address : path;
    };
    return { id, get: pick('get', own), cancel: pick('cancel', `${own}/cancel`) };
  }

  async find(prepared: Prepared, _id: string, since: Date, signal: AbortSignal): Promise<Found> {
    const found = await findPrediction(this.#http, fromPrepared(prepared), since, signal);
    if (typeof found === 'string') return found;
    const handle = this.#handleOf(found);
    return handle === null ? 'unknown' : { handle: handle as unknown as Handle };
  }

  async *follow(
    handle: Handle,
    job: FollowedJob,
    signal: AbortSignal,
  ): AsyncGenerator<EngineProgress | EngineResult> {
    const { get } = handle as unknown as ReplicateHandle;
    const look = (stop: AbortSignal) => this.#look(get, stop);
    const prediction = yield* pollJob<EngineProgress, JsonObject>(this.#tools, look, signal);
    const failure = failureOfPrediction(this.#http, prediction);
    if (failure !== null) throw failure;
    const source = { backend: this.#http.backend, downloads: this.#downloads, at: '/*' };
    const files = await saveResults(prediction['output'], job, source, signal);
    const seconds = countAt(prediction, 'metrics', 'predict_time');
    yield { type: 'result', files, ...measuredCost(job.route, { per_second: seconds }) };
  }

  async #look(get: string, signal: AbortSignal): Promise<{ news: EngineProgress } | { end: JsonObject }> {
    const answer = await this.#http.send({ to: get, maxBytes: maxPredictionBytes, signal });
    if (answer.status === 404) {
      throw new EngineFailure(`${this.#http.backend} knows the prediction no more.`, {
        blame: 'backend',
        code: 'outcome_unknown',
      });
    }
    const prediction = readObject(this.#http, answer, 'asked about a prediction');
    switch (prediction['status']) {
      case 'starting':
      case 'queued':
        return { news: { type: 'progress', stage: 'waiting_for_engine', fraction: null } };
      case 'processing':
        return { news: { type: 'progress', stage: 'rendering', fraction: fractionOf(prediction['logs']) } };
      case 'succeeded':
      case 'failed':
      case 'canceled':
      case 'aborted':
        return { end: prediction };
      default:
        throw this.#unclear('told of a prediction in a way that nobody knows', 'unknown');
    }
  }

  async cancel(handle: Handle, signal: AbortSignal): Promise<'canceled' | 'too_late' | 'unknown'> {
    const { cancel } = handle as unknown as ReplicateHandle;
    const answer = await this.#http.send({ method: 'POST', to: cancel, signal });
    const json = isSuccess(answer) ? parseJson(answer) : undefined;
    if (!isObject(json)) return 'unknown';
    if (json['status'] === 'succeeded' || json['status'] === 'failed') return 'too_late';
    return json['status'] === 'canceled' || json['status'] === 'aborted' ? 'canceled' : 'unknown';
  }

  async probe(signal: AbortSignal): Promise<EngineHealth> {
    const answer = await this.#http.send({ to: '/account', answerMs: 3_000, signal });
    if (!isSuccess(answer)) throw refusalOf(this.#http, answer, 'asked for a sign of life');
    return { version: null, digest: null, queue: null, vramBytes: null };
  }

  async check({ route }: RouteFiles, signal: AbortSignal): Promise<Problem[]> {
    return checkReplicateRoute({ backend: this.#http.backend, read: this.#schemas }, route, signal);
  }

  async targets({ route }: RouteFiles, signal: AbortSignal): Promise<TargetSpecs> {
    return replicateTargets(this.#schemas, route, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#http[Symbol.asyncDispose](), this.#downloads[Symbol.asyncDispose]()]);
  }
}

/** Returns the fraction that the last progress bar in a log shows. */
function fractionOf(logs: JsonValue | undefined): number | null {
  if (typeof logs !== 'string') return null;
  const last = [...logs.slice(-4_000).matchAll(/(\d{1,3})%/g)].at(-1)?.[1];
  return last === undefined ? null : Math.min(1, Number(last) / 100);
}
