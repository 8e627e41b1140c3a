import {
  isObject,
  isSuccess,
  messageIn,
  parseJson,
  readObject,
  refusalOf,
} from '@renderkit/engine-kit/backend-answer.ts';
import { createBackendHttp, type BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
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
import { checkFields } from '@renderkit/engine-kit/check-fields.ts';
import { fieldTargets } from '@renderkit/engine-kit/field-targets.ts';
import { createDownloads, type Downloads } from '@renderkit/engine-kit/download.ts';
import {
  EngineFailure,
  type Driver,
  type DriverTools,
  type EngineHealth,
  type EngineJob,
  type EngineResult,
  type FollowedJob,
  type Handle,
  type Prepared,
  type RouteFiles,
} from '@renderkit/engine-kit/driver.ts';
import type { EngineProgress } from '@renderkit/engine-kit/report.ts';
import { failureOfHeld, HeldAnswers, lostAnswer } from '@renderkit/engine-kit/held-answers.ts';
import type { BackendAnswer } from '@renderkit/engine-kit/http-exchange.ts';
import { oncePerCheck } from '@renderkit/engine-kit/once-per-check.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { saveResults } from '@renderkit/engine-kit/result-files.ts';
import type { JsonObject, JsonValue, Route } from '@renderkit/engine-kit/route.ts';
import type { TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';
import { failureOfPrediction } from './prediction-failure.ts';

const defaultRunSeconds = 600;
/** Seconds in addition to the route's own limit, so that this limit never ends a job before its worker does. */
const graceSeconds = 60;
const maxAnswerBytes = 256 * 1024 * 1024;
/** Seconds before the next request to a busy server, which makes one prediction at a time. */
const busySeconds = 5;
const schemaPath = '/openapi.json';

interface CogCall extends Call {
  readonly answerSeconds: number;
}

/**
 * Driver for one's own Cog server. Such a server cannot be asked for a prediction later, so the driver waits for the
 * answer.
 */
export class CogDriver implements Driver {
  readonly #http: BackendHttp;
  readonly #downloads: Downloads;
  readonly #answers = new HeldAnswers();
  /** Reads once per check. */
  readonly #readSchemas = oncePerCheck((path, signal) => this.#read(path, signal));

  constructor({ backend }: DriverTools) {
    this.#http = createBackendHttp(backend);
    this.#downloads = createDownloads(backend, this.#http);
  }

  async prepare(job: EngineJob): Promise<Prepared> {
    const answerSeconds = (job.route.timeouts?.run ?? defaultRunSeconds) + graceSeconds;
    const prepared: CogCall = { ...prepareCall(job), answerSeconds };
    return prepared as unknown as Prepared;
  }

  async submit(prepared: Prepared, id: string, signal: AbortSignal): Promise<Handle> {
    const call = fromPrepared(prepared) as CogCall;
    const request = {
      method: 'PUT',
      to: pathOf(id),
      json: { input: await bodyWithMedia(call, dataUriOf) },
      answerMs: call.answerSeconds * 1_000,
      maxBytes: maxAnswerBytes,
    } as const;
    await this.#answers.begin(id, this.#http, request, signal);
    return id;
  }

  /**
   * Returns `unknown`. A request with a used id would find a running prediction, but would start a finished one again.
   * So no request is sent.
   */
  async find(): Promise<'unknown'> {
    return 'unknown';
  }

  async *follow(
    handle: Handle,
    job: FollowedJob,
    signal: AbortSignal,
  ): AsyncGenerator<EngineProgress | EngineResult> {
    const { backend } = this.#http;
    yield { type: 'progress', stage: 'rendering', fraction: null };
    const answer = await this.#answers.wait(handle as string, { backend, route: job.route }, signal);
    if (!isSuccess(answer)) throw this.#refusal(answer, job.route);
    const prediction = parseJson(answer);
    if (!isObject(prediction)) throw lostAnswer(`${backend} answered with something else.`, job.route);
    if (prediction['status'] === 'processing' || prediction['status'] === 'starting') {
      // An earlier request with the same id, from a worker that died, is still running.
      throw new EngineFailure(`${backend} is still busy with the same prediction.`, {
        blame: 'backend',
        code: 'render_failed',
        retryAfterSeconds: busySeconds,
      });
    }
    const failure = failureOfPrediction(this.#http, prediction);
    if (failure !== null) throw failure;
    const source = { backend, downloads: this.#downloads, at: '/*' };
    yield { type: 'result', files: await saveResults(prediction['output'], job, source, signal) };
  }

  #refusal(answer: BackendAnswer, route: Route): EngineFailure {
    const doing = 'asked for a prediction';
    const json = parseJson(answer);
    const detail = isObject(json) ? json['detail'] : undefined;
    if (answer.status === 422 || answer.status === 400) {
      const first = Array.isArray(detail) ? (detail as JsonValue[]).find(isObject) : undefined;
      const field = first === undefined ? null : pointerOf(first['loc'], ['body', 'input']);
      return refusalOf(this.#http, answer, doing, blameOfField({ asked: askedTargets(route) }, field));
    }
    const isBusy = answer.status === 409;
    const more = isBusy ? { retryAfterSeconds: busySeconds, untaken: true } : {};
    return failureOfHeld(this.#http, answer, { doing, route }, more);
  }

  async cancel(handle: Handle, signal: AbortSignal): Promise<'canceled' | 'too_late' | 'unknown'> {
    const to = `${pathOf(handle as string)}/cancel`;
    const answer = await this.#http.send({ method: 'POST', to, signal });
    if (answer.status === 404) return 'too_late';
    return isSuccess(answer) ? 'canceled' : 'unknown';
  }

  forget(handle: Handle): void {
    this.#answers.drop(handle as string);
  }

  async probe(signal: AbortSignal): Promise<EngineHealth> {
    const doing = 'asked for a sign of life';
    const answer = await this.#http.send({ to: '/health-check', answerMs: 3_000, signal });
    const { status } = readObject(this.#http, answer, doing);
    if (status === 'READY' || status === 'BUSY') {
      return { version: null, digest: null, queue: status === 'BUSY' ? 1 : 0, vramBytes: null };
    }
    throw new EngineFailure(`${this.#http.backend} is not ready: ${messageIn(status)}.`, {
      blame: 'backend',
      code: 'engine_unavailable',
    });
  }

  async check({ route }: RouteFiles, signal: AbortSignal): Promise<Problem[]> {
    const schemas = await this.#readSchemas(schemaPath, signal);
    return schemas === undefined ? [] : checkFields(route, schemas['Input'], schemas);
  }

  async targets({ route }: RouteFiles, signal: AbortSignal): Promise<TargetSpecs> {
    const schemas = await this.#readSchemas(schemaPath, signal);
    return schemas === undefined ? new Map() : fieldTargets(route, schemas['Input'], schemas);
  }

  async #read(to: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const answer = await this.#http.send({ to, signal });
    const { components } = readObject(this.#http, answer, 'asked for its schema');
    const schemas = isObject(components) ? components['schemas'] : undefined;
    return isObject(schemas) ? schemas : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#answers[Symbol.dispose]();
    await Promise.all([this.#http[Symbol.asyncDispose](), this.#downloads[Symbol.asyncDispose]()]);
  }
}

function pathOf(id: string): string {
  return `/predictions/${encodeURIComponent(id)}`;
}
