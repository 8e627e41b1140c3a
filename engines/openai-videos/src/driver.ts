import { join } from 'node:path';
import { isSuccess, readObject, refusalOf } from '@renderkit/engine-kit/backend-answer.ts';
import { createBackendHttp, submitAnswerMs, type BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { formOf } from '@renderkit/engine-kit/call-form.ts';
import { fromPrepared, prepareCall, toPrepared } from '@renderkit/engine-kit/call.ts';
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
} from '@renderkit/engine-kit/driver.ts';
import type { EngineProgress } from '@renderkit/engine-kit/report.ts';
import { pollJob } from '@renderkit/engine-kit/poll.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { maxResultBytes } from '@renderkit/engine-kit/result-files.ts';
import type { JsonObject } from '@renderkit/engine-kit/route.ts';
import { findVideo } from './find-video.ts';
import { failureOfVideo, refusalOfVideo, stageOf } from './video-state.ts';

/** Creates a driver for the API of OpenAI's videos: vLLM-Omni, new-api and other compatible servers. */
export const createOpenaiVideosDriver: CreateDriver = (tools) => new OpenaiVideosDriver(tools);

class OpenaiVideosDriver implements Driver {
  readonly #tools: DriverTools;
  readonly #http: BackendHttp;
  readonly #downloads: Downloads;

  constructor(tools: DriverTools) {
    this.#tools = tools;
    this.#http = createBackendHttp(tools.backend);
    this.#downloads = createDownloads(tools.backend, this.#http);
  }

  async prepare(job: EngineJob): Promise<Prepared> {
    return toPrepared(prepareCall(job));
  }

  async submit(prepared: Prepared, _id: string, signal: AbortSignal): Promise<Handle> {
    const call = fromPrepared(prepared);
    const { answer } = await this.#http.begin({
      method: 'POST',
      to: '/videos',
      multipart: formOf(call),
      answerMs: submitAnswerMs,
      signal,
    });
    const taken = await answer;
    if (!isSuccess(taken)) throw refusalOfVideo(this.#http, taken, call);
    const { id } = readObject(this.#http, taken, 'asked for a video');
    if (typeof id === 'string' && id !== '') return id;
    throw new EngineFailure(`${this.#http.backend} took a video and did not name it.`, {
      blame: 'backend',
      code: 'engine_unavailable',
      sent: 'unknown',
    });
  }

  async find(prepared: Prepared, _id: string, since: Date, signal: AbortSignal): Promise<Found> {
    return findVideo(this.#http, fromPrepared(prepared), since, signal);
  }

  async *follow(
    handle: Handle,
    job: FollowedJob,
    signal: AbortSignal,
  ): AsyncGenerator<EngineProgress | EngineResult> {
    const video = pathOf(handle);
    const look = (stop: AbortSignal) => this.#look(video, stop);
    const ended = yield* pollJob<EngineProgress, JsonObject>(this.#tools, look, signal);
    const failure = failureOfVideo(this.#http, ended);
    if (failure !== null) throw failure;
    const path = join(job.folder, 'result-0');
    await this.#downloads.save(`${video}/content`, { path, maxBytes: maxResultBytes.video, signal });
    yield { type: 'result', files: [{ path }] };
  }

  async #look(video: string, signal: AbortSignal): Promise<{ news: EngineProgress } | { end: JsonObject }> {
    const answer = await this.#http.send({ to: video, signal });
    if (answer.status === 404) {
      throw new EngineFailure(`${this.#http.backend} knows the video no more.`, {
        blame: 'backend',
        code: 'outcome_unknown',
      });
    }
    const shown = readObject(this.#http, answer, 'asked about a video');
    const { stage, fraction } = stageOf(shown);
    if (stage === 'ended') return { end: shown };
    if (stage !== null) return { news: { type: 'progress', stage, fraction } };
    throw new EngineFailure(`${this.#http.backend} told of a video in a way that nobody knows.`, {
      blame: 'backend',
      code: 'engine_unavailable',
    });
  }

  /**
   * Cancels a video by deleting it while it waits; the API has no other way. A running video is left alone, because it
   * is billed anyway.
   */
  async cancel(handle: Handle, signal: AbortSignal): Promise<'canceled' | 'too_late' | 'unknown'> {
    const answer = await this.#http.send({ to: pathOf(handle), signal });
    if (!isSuccess(answer)) return 'unknown';
    const { stage } = stageOf(readObject(this.#http, answer, 'asked about a video'));
    if (stage === 'ended') return 'too_late';
    if (stage !== 'waiting_for_engine') return 'unknown';
    const deleted = await this.#http.send({ method: 'DELETE', to: pathOf(handle), signal });
    return isSuccess(deleted) ? 'canceled' : 'unknown';
  }

  async probe(signal: AbortSignal): Promise<EngineHealth> {
    const answer = await this.#http.send({ to: '/models', answerMs: 3_000, signal });
    // Some compatible servers do not list their models.
    if (!isSuccess(answer) && answer.status !== 404) {
      throw refusalOf(this.#http, answer, 'asked for a sign of life');
    }
    return { version: null, digest: null, queue: null, vramBytes: null };
  }

  /** Returns no problems: compatible servers do not report what they accept. */
  async check(): Promise<Problem[]> {
    return [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#http[Symbol.asyncDispose](), this.#downloads[Symbol.asyncDispose]()]);
  }
}

function pathOf(handle: Handle): string {
  return `/videos/${encodeURIComponent(handle as string)}`;
}
