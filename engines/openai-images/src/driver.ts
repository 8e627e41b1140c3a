import { isSuccess, parseJson, refusalOf } from '@renderkit/engine-kit/backend-answer.ts';
import { createBackendHttp, type BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { formOf } from '@renderkit/engine-kit/call-form.ts';
import {
  bodyWithMedia,
  dataUriOf,
  fromPrepared,
  prepareCall,
  type Call,
} from '@renderkit/engine-kit/call.ts';
import { createDownloads, type Downloads } from '@renderkit/engine-kit/download.ts';
import {
  type CreateDriver,
  type Driver,
  type EngineHealth,
  type EngineJob,
  type EngineResult,
  type FollowedJob,
  type Handle,
  type Prepared,
  type RouteFiles,
} from '@renderkit/engine-kit/driver.ts';
import type { EngineProgress } from '@renderkit/engine-kit/report.ts';
import { HeldAnswers, lostAnswer } from '@renderkit/engine-kit/held-answers.ts';
import { countAt, measuredCost } from '@renderkit/engine-kit/measured-cost.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { saveResults } from '@renderkit/engine-kit/result-files.ts';
import type { JsonValue } from '@renderkit/engine-kit/route.ts';
import { failureOfAnswer } from './answer-failure.ts';

const defaultRunSeconds = 600;
/** Seconds in addition to the route's own limit, so that this limit never ends a job before its worker does. */
const graceSeconds = 60;
/** Ten pictures of 4K as base64. */
const maxAnswerBytes = 512 * 1024 * 1024;

interface ImagesCall extends Call {
  readonly call: 'generations' | 'edits';
  readonly answerSeconds: number;
}

/**
 * Creates a driver for OpenAI's images or a compatible server. One request is answered when the pictures are finished.
 */
export const createOpenaiImagesDriver: CreateDriver = ({ backend }) => {
  const http = createBackendHttp(backend);
  return new OpenaiImagesDriver(http, createDownloads(backend, http));
};

class OpenaiImagesDriver implements Driver {
  readonly #http: BackendHttp;
  readonly #downloads: Downloads;
  readonly #answers = new HeldAnswers();

  constructor(http: BackendHttp, downloads: Downloads) {
    this.#http = http;
    this.#downloads = downloads;
  }

  async prepare(job: EngineJob): Promise<Prepared> {
    const call = prepareCall(job);
    const prepared: ImagesCall = {
      ...call,
      call: job.route.call === 'edits' ? 'edits' : 'generations',
      answerSeconds: (job.route.timeouts?.run ?? defaultRunSeconds) + graceSeconds,
    };
    return prepared as unknown as Prepared;
  }

  async submit(prepared: Prepared, id: string, signal: AbortSignal): Promise<Handle> {
    const call = fromPrepared(prepared) as ImagesCall;
    const content =
      call.call === 'edits' ? { multipart: formOf(call) } : { json: await bodyWithMedia(call, dataUriOf) };
    const request = {
      method: 'POST',
      to: `/images/${call.call}`,
      ...content,
      answerMs: call.answerSeconds * 1_000,
      maxBytes: maxAnswerBytes,
    } as const;
    await this.#answers.begin(id, this.#http, request, signal);
    return id;
  }

  /** Returns `unknown`: such a server has no list of its past jobs. */
  async find(): Promise<'unknown'> {
    return 'unknown';
  }

  async *follow(
    handle: Handle,
    job: FollowedJob,
    signal: AbortSignal,
  ): AsyncGenerator<EngineProgress | EngineResult> {
    yield { type: 'progress', stage: 'rendering', fraction: null };
    const { backend } = this.#http;
    const answer = await this.#answers.wait(handle as string, { backend, route: job.route }, signal);
    if (!isSuccess(answer)) throw failureOfAnswer(this.#http, answer, job.route);
    const json = parseJson(answer);
    if (json === undefined) {
      throw lostAnswer(`${this.#http.backend} answered with something that is no JSON.`, job.route);
    }
    const source = { backend: this.#http.backend, downloads: this.#downloads, at: '/data/*' };
    const files = await saveResults(json, job, source, signal);
    yield { type: 'result', files, ...measuredCost(job.route, tokensOf(json)) };
  }

  /**
   * Returns `unknown`: nothing can stop a job. To close the connection would only lose pictures that are billed anyway.
   */
  async cancel(): Promise<'unknown'> {
    return 'unknown';
  }

  forget(handle: Handle): void {
    this.#answers.drop(handle as string);
  }

  async probe(signal: AbortSignal): Promise<EngineHealth> {
    const answer = await this.#http.send({ to: '/models', answerMs: 3_000, signal });
    // Some compatible servers do not list their models.
    if (!isSuccess(answer) && answer.status !== 404) {
      throw refusalOf(this.#http, answer, 'asked for a sign of life');
    }
    return { version: null, digest: null, queue: null, vramBytes: null };
  }

  async check({ route }: RouteFiles): Promise<Problem[]> {
    if (route.body?.['stream'] !== true) return [];
    return [{ code: 'field_unknown', message: `Route ${route.name} asks for a stream: take stream out.` }];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#answers[Symbol.dispose]();
    await Promise.all([this.#http[Symbol.asyncDispose](), this.#downloads[Symbol.asyncDispose]()]);
  }
}

/** Returns the tokens by which OpenAI bills; compatible servers leave them out. */
function tokensOf(json: JsonValue) {
  return {
    per_million_text_tokens: countAt(json, 'usage', 'input_tokens_details', 'text_tokens'),
    per_million_image_tokens: countAt(json, 'usage', 'input_tokens_details', 'image_tokens'),
    per_million_output_tokens: countAt(json, 'usage', 'output_tokens'),
  };
}
