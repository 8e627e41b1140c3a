import {
  isObject,
  isSuccess,
  messageIn,
  parseJson,
  readObject,
  refusalOf,
} from '@renderkit/engine-kit/backend-answer.ts';
import { createBackendHttp, submitAnswerMs, type BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import {
  askedTargets,
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
import type { BackendAnswer } from '@renderkit/engine-kit/http-exchange.ts';
import { countAt, measuredCost } from '@renderkit/engine-kit/measured-cost.ts';
import { pollJob } from '@renderkit/engine-kit/poll.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { saveResults } from '@renderkit/engine-kit/result-files.ts';
import type { JsonObject, JsonValue } from '@renderkit/engine-kit/route.ts';
import type { TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';
import { checkFalRoute, createReadSchema, falTargets, type ReadSchema } from './check.ts';
import { findRequest } from './find-request.ts';
import { falOrigins, requestPaths, type RequestPaths } from './request-paths.ts';
import { createUploads, maxInlineBytes, type Uploads } from './uploads.ts';

/** A call, its endpoint, and the addresses of media that were too large for the call itself. */
interface FalCall extends Call {
  readonly endpoint: string;
  readonly startSeconds: number | null;
  readonly uploaded: Readonly<Record<string, string>>;
}
type FalHandle = RequestPaths;

interface FalEnd {
  readonly response: BackendAnswer;
  /** Seconds that the model ran; `undefined` where fal does not report it. */
  readonly seconds: number | undefined;
}

/** Maximum bytes of a model's answer: some answers contain the pictures themselves. */
const maxAnswerBytes = 256 * 1024 * 1024;

/** Creates a driver for fal's queue, or for a compatible server. */
export const createFalDriver: CreateDriver = (tools) => new FalDriver(tools);

class FalDriver implements Driver {
  readonly #tools: DriverTools;
  readonly #queue: BackendHttp;
  readonly #platform: BackendHttp;
  readonly #schemas: BackendHttp;
  readonly #readSchema: ReadSchema;
  readonly #downloads: Downloads;
  readonly #uploads: Uploads;

  constructor(tools: DriverTools) {
    const { backend } = tools;
    const origins = falOrigins(backend.url);
    const connect = (url: string) => createBackendHttp({ ...backend, url }, { scheme: 'Key' });
    this.#tools = tools;
    this.#queue = connect(backend.url);
    this.#platform = connect(origins.platform);
    this.#schemas = connect(origins.schemas);
    this.#readSchema = createReadSchema(this.#schemas);
    this.#downloads = createDownloads(backend, this.#queue);
    this.#uploads = createUploads(backend, connect(origins.uploads));
  }

  async prepare(job: EngineJob, signal: AbortSignal): Promise<Prepared> {
    const call = prepareCall(job);
    const uploaded: Record<string, string> = {};
    for (const file of call.media.flatMap(({ files }) => files)) {
      if (file.sizeBytes > maxInlineBytes) uploaded[file.sha256] = await this.#uploads.upload(file, signal);
    }
    const { endpoint = '', timeouts } = job.route;
    const prepared: FalCall = { ...call, endpoint, startSeconds: timeouts?.start ?? null, uploaded };
    return prepared as unknown as Prepared;
  }

  async submit(prepared: Prepared, _id: string, signal: AbortSignal): Promise<Handle> {
    const call = fromPrepared(prepared) as FalCall;
    const doing = 'asked for a job';
    const textOf = async (file: PreparedMedia) => call.uploaded[file.sha256] ?? (await dataUriOf(file));
    const { answer } = await this.#queue.begin({
      method: 'POST',
      to: `/${call.endpoint}`,
      json: await bodyWithMedia(call, textOf),
      headers: {
        // Only the platform's core decides about retries.
        'x-fal-no-retry': '1',
        ...(call.startSeconds !== null && { 'x-fal-request-timeout': String(call.startSeconds) }),
      },
      answerMs: submitAnswerMs,
      signal,
    });
    const taken = await answer;
    if (!isSuccess(taken)) throw this.#refusal(taken, doing, call);
    const json = readObject(this.#queue, taken, doing);
    const id = json['request_id'];
    if (typeof id !== 'string' || id === '') {
      throw new EngineFailure(`${this.#queue.backend} took a job and did not name it.`, {
        blame: 'backend',
        code: 'engine_unavailable',
        sent: 'unknown',
      });
    }
    return this.#handleOf(call.endpoint, id, json);
  }

  #handleOf(endpoint: string, id: string, named: JsonObject = {}): Handle {
    const own = requestPaths(endpoint, id);
    const pick = (address: JsonValue | undefined, path: string) =>
      typeof address === 'string' && this.#queue.isOwn(address) ? address : path;
    return {
      id,
      status: pick(named['status_url'], own.status),
      response: pick(named['response_url'], own.response),
      cancel: pick(named['cancel_url'], own.cancel),
    } satisfies FalHandle;
  }

  async find(prepared: Prepared, _id: string, since: Date, signal: AbortSignal): Promise<Found> {
    const call = fromPrepared(prepared) as FalCall;
    if (call.unique.length === 0) return 'unknowable';
    const id = await findRequest(this.#platform, call, since, signal);
    // Only ended requests are listed, and none if the account stores no payloads. So a missing request is never
    // certain.
    return id === null ? 'unknown' : { handle: this.#handleOf(call.endpoint, id) };
  }

  async *follow(
    handle: Handle,
    job: FollowedJob,
    signal: AbortSignal,
  ): AsyncGenerator<EngineProgress | EngineResult> {
    const paths = handle as unknown as FalHandle;
    const look = (stop: AbortSignal) => this.#look(paths, stop);
    const { response, seconds } = yield* pollJob<EngineProgress, FalEnd>(this.#tools, look, signal);
    if (!isSuccess(response)) throw this.#failureOfJob(response, job);
    const source = { backend: this.#queue.backend, downloads: this.#downloads, at: '/images/*' };
    const files = await saveResults(parseJson(response), job, source, signal);
    yield { type: 'result', files, ...measuredCost(job.route, { per_second: seconds }) };
  }

  async #look(paths: FalHandle, signal: AbortSignal): Promise<{ news: EngineProgress } | { end: FalEnd }> {
    const http = this.#queue;
    const seen = await http.send({ to: paths.status, signal });
    if (seen.status === 404) throw this.#gone();
    const status = readObject(http, seen, 'asked about a job');
    if (status['status'] === 'IN_QUEUE') {
      const position = status['queue_position'];
      const known = typeof position === 'number' ? { position } : {};
      return { news: { type: 'progress', stage: 'waiting_for_engine', fraction: null, ...known } };
    }
    if (status['status'] !== 'COMPLETED') {
      return { news: { type: 'progress', stage: 'rendering', fraction: null } };
    }
    // A failed job is `COMPLETED` too: its response has the status of the error.
    const response = await http.send({ to: paths.response, maxBytes: maxAnswerBytes, signal });
    if (response.status === 404 && !isErrorOfJob(response)) throw this.#gone();
    if (isSuccess(response) ? parseJson(response) === undefined : !isErrorOfJob(response)) {
      throw new EngineFailure(`${http.backend} did not hand the response out (${response.status}).`, {
        blame: 'backend',
        code: 'engine_unavailable',
      });
    }
    return { end: { response, seconds: countAt(status, 'metrics', 'inference_time') } };
  }

  #gone(): EngineFailure {
    return new EngineFailure(`${this.#queue.backend} knows the request no more.`, {
      blame: 'backend',
      code: 'outcome_unknown',
    });
  }

  /**
   * Returns why a job failed, whatever the status; 499 is a canceled job. The job is over, so this is never
   * `engine_unavailable`. Jobs that failed on fal's side were not billed.
   */
  #failureOfJob(response: BackendAnswer, job: FollowedJob): EngineFailure {
    const doing = 'making a job';
    if (response.status === 400 || response.status === 422) {
      return this.#refusal(response, doing, { asked: askedTargets(job.route) });
    }
    const over = { blame: 'backend', code: 'render_failed', lasting: false } as const;
    return refusalOf(this.#queue, response, doing, over);
  }

  #refusal(answer: BackendAnswer, doing: string, call: Pick<Call, 'asked'>): EngineFailure {
    const json = parseJson(answer);
    const detail = isObject(json) ? json['detail'] : undefined;
    const first = Array.isArray(detail) ? (detail as JsonValue[]).find(isObject) : undefined;
    if (answer.status === 422 || answer.status === 400) {
      if (first?.['type'] === 'content_policy_violation') {
        const said = this.#queue.quote(messageIn(first));
        return new EngineFailure(said, { blame: 'render', code: 'moderation_blocked', sent: 'no' });
      }
      const field = first === undefined ? null : pointerOf(first['loc'], ['body']);
      return refusalOf(this.#queue, answer, doing, blameOfField(call, field));
    }
    return refusalOf(this.#queue, answer, doing);
  }

  async cancel(handle: Handle, signal: AbortSignal): Promise<'canceled' | 'too_late' | 'unknown'> {
    const { cancel } = handle as unknown as FalHandle;
    const answer = await this.#queue.send({ method: 'PUT', to: cancel, signal });
    const json = parseJson(answer);
    const status = isObject(json) ? json['status'] : undefined;
    if (status === 'ALREADY_COMPLETED') return 'too_late';
    // A running model is asked to stop, but may go on.
    return status === 'OK' || (isObject(json) && json['success'] === true) ? 'canceled' : 'unknown';
  }

  async probe(signal: AbortSignal): Promise<EngineHealth> {
    // fal has no address for health checks. A queue that works and accepts the key reports this request as unknown.
    const { status } = requestPaths('fal-ai/renderkit', '00000000-0000-4000-8000-000000000000');
    const answer = await this.#queue.send({ to: status, answerMs: 3_000, signal });
    if (answer.status >= 500 || [401, 402, 403, 429].includes(answer.status)) {
      throw refusalOf(this.#queue, answer, 'asked for a sign of life');
    }
    return { version: null, digest: null, queue: null, vramBytes: null };
  }

  async check({ route }: RouteFiles, signal: AbortSignal): Promise<Problem[]> {
    return checkFalRoute({ backend: this.#schemas.backend, read: this.#readSchema }, route, signal);
  }

  async targets({ route }: RouteFiles, signal: AbortSignal): Promise<TargetSpecs> {
    return falTargets(this.#readSchema, route, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = [this.#queue, this.#platform, this.#schemas, this.#downloads, this.#uploads];
    await Promise.all(open.map((one) => one[Symbol.asyncDispose]()));
  }
}

/** Statuses with which fal itself refuses to return a response: a bad key, an unknown request, too many requests. */
const refusesToHandOut: ReadonlySet<number> = new Set([401, 402, 403, 404, 429]);

/** Returns whether a bad status is the job's own, and not a refusal by fal. Errors of a job have an error type. */
function isErrorOfJob(response: BackendAnswer): boolean {
  if (response.headers['x-fal-error-type'] !== undefined) return true;
  const json = parseJson(response);
  if (!isObject(json)) return false;
  if (json['error_type'] !== undefined || Array.isArray(json['detail'])) return true;
  return json['detail'] !== undefined && !refusesToHandOut.has(response.status);
}
