import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isSuccess, parseJson, refusalOf } from '@renderkit/engine-kit/backend-answer.ts';
import { createBackendHttp, type BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { bodyWithMedia, fromPrepared, prepareCall, type Call } from '@renderkit/engine-kit/call.ts';
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
  type Handle,
  type Prepared,
  type PreparedMedia,
  type RouteFiles,
} from '@renderkit/engine-kit/driver.ts';
import type { EngineProgress } from '@renderkit/engine-kit/report.ts';
import { HeldAnswers, lostAnswer } from '@renderkit/engine-kit/held-answers.ts';
import type { BackendAnswer } from '@renderkit/engine-kit/http-exchange.ts';
import { createPoll } from '@renderkit/engine-kit/poll.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { saveResults } from '@renderkit/engine-kit/result-files.ts';
import { failureOfAnswer } from './answer-failure.ts';
import type { TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';
import { a1111Targets, checkA1111Route, createReadList, type ReadList } from './check.ts';
import { countWaiting, readTask, type TaskState } from './task-state.ts';

const defaultRunSeconds = 600;
/** Seconds in addition to the route's own limit, so that this limit never ends a job before its worker does. */
const graceSeconds = 60;
const maxAnswerBytes = 512 * 1024 * 1024;

interface WebuiCall extends Call {
  readonly call: 'txt2img' | 'img2img';
  readonly answerSeconds: number;
}

/** Creates a driver for the API of A1111's web interface, of Forge, or of a compatible server. */
export const createA1111Driver: CreateDriver = (tools) => new A1111Driver(tools);

class A1111Driver implements Driver {
  readonly #tools: DriverTools;
  readonly #http: BackendHttp;
  readonly #readList: ReadList;
  readonly #downloads: Downloads;
  readonly #answers = new HeldAnswers();

  constructor(tools: DriverTools) {
    this.#tools = tools;
    this.#http = createBackendHttp(tools.backend);
    this.#readList = createReadList(this.#http);
    this.#downloads = createDownloads(tools.backend, this.#http);
  }

  async prepare(job: EngineJob): Promise<Prepared> {
    const call = prepareCall(job);
    const { call: chosen, timeouts } = job.route;
    const prepared: WebuiCall = {
      ...call,
      call: chosen === 'img2img' ? 'img2img' : 'txt2img',
      answerSeconds: (timeouts?.run ?? defaultRunSeconds) + graceSeconds,
    };
    return prepared as unknown as Prepared;
  }

  async submit(prepared: Prepared, id: string, signal: AbortSignal): Promise<Handle> {
    const call = fromPrepared(prepared) as WebuiCall;
    const body = await bodyWithMedia(call, base64Of);
    const request = {
      method: 'POST',
      to: `/sdapi/v1/${call.call}`,
      json: { send_images: true, save_images: false, ...(body as object), force_task_id: id },
      answerMs: call.answerSeconds * 1_000,
      maxBytes: maxAnswerBytes,
    } as const;
    await this.#answers.begin(id, this.#http, request, signal);
    return id;
  }

  /**
   * Looks for a task. Its pictures were lost with the answer. A task that still runs or waits is followed anyway, so
   * that the machine does not do the work twice.
   */
  async find(
    _prepared: Prepared,
    id: string,
    _since: Date,
    signal: AbortSignal,
  ): Promise<{ handle: Handle } | 'absent' | 'unknown'> {
    const task = await readTask(this.#http, id, signal);
    if (task === null) return 'unknown';
    return task.isActive || task.isQueued || task.isCompleted ? { handle: id } : 'absent';
  }

  async *follow(
    handle: Handle,
    job: FollowedJob,
    signal: AbortSignal,
  ): AsyncGenerator<EngineProgress | EngineResult> {
    const id = handle as string;
    const answer = yield* this.#watch(id, job, signal);
    if (!isSuccess(answer)) throw failureOfAnswer(this.#http, answer, job.route);
    const json = parseJson(answer);
    if (json === undefined) {
      throw lostAnswer(`${this.#http.backend} answered with something that is no JSON.`, job.route);
    }
    const source = { backend: this.#http.backend, downloads: this.#downloads, at: '/images/*' };
    yield { type: 'result', files: await saveResults(json, job, source, signal) };
  }

  /**
   * Yields the task's progress until its answer comes. A process that does not have the answer stops when the task is
   * over.
   */
  async *#watch(
    id: string,
    { route }: FollowedJob,
    signal: AbortSignal,
  ): AsyncGenerator<EngineProgress, BackendAnswer> {
    const poll = createPoll(this.#tools.pollMs);
    const isOurs = this.#answers.has(id);
    const answer = this.#answers.wait(id, { backend: this.#http.backend, route }, signal);
    const over = new AbortController();
    const end = () => {
      over.abort();
      poll.wake();
    };
    if (isOurs) void answer.then(end, end);
    else answer.catch(() => {});
    let last = '';
    while (!over.signal.aborted) {
      const task = await this.#look(id, signal);
      if (task === 'unknown' || (!isOurs && task !== 'away' && !task.isActive && !task.isQueued)) break;
      const news = task === 'away' ? null : progressOf(task);
      const text = JSON.stringify(news);
      const isNew = text !== last;
      if (news !== null) yield news;
      last = text;
      await poll.next(isNew, signal);
    }
    return await answer;
  }

  /** `unknown`: this server does not report tasks. `away`: it cannot be asked now. */
  async #look(id: string, signal: AbortSignal): Promise<TaskState | 'unknown' | 'away'> {
    try {
      return (await readTask(this.#http, id, signal)) ?? 'unknown';
    } catch (error) {
      if (error instanceof EngineFailure) return 'away';
      throw error;
    }
  }

  /**
   * Cancels the task. An interrupt ends whichever task runs. So it is sent only while our task runs and no other task
   * waits that could have begun meanwhile.
   */
  async cancel(handle: Handle, signal: AbortSignal): Promise<'canceled' | 'too_late' | 'unknown'> {
    const id = handle as string;
    const task = await this.#look(id, signal);
    if (typeof task === 'string') return 'unknown';
    if (task.isCompleted) return 'too_late';
    if (!task.isActive || (await countWaiting(this.#http, signal)) !== 0) return 'unknown';
    const answer = await this.#http.send({ method: 'POST', to: '/sdapi/v1/interrupt', signal });
    if (!isSuccess(answer)) return 'unknown';
    // An unfinished picture is not a result.
    this.#answers.drop(id);
    return 'canceled';
  }

  forget(handle: Handle): void {
    this.#answers.drop(handle as string);
  }

  async probe(signal: AbortSignal): Promise<EngineHealth> {
    const answer = await this.#http.send({ to: '/sdapi/v1/sd-models', answerMs: 3_000, signal });
    if (!isSuccess(answer)) throw refusalOf(this.#http, answer, 'asked for a sign of life');
    const digest = createHash('sha256').update(answer.body).digest('hex');
    return { version: null, digest, queue: await countWaiting(this.#http, signal), vramBytes: null };
  }

  async check({ route }: RouteFiles, signal: AbortSignal): Promise<Problem[]> {
    return checkA1111Route({ backend: this.#http.backend, read: this.#readList }, route, signal);
  }

  async targets({ route }: RouteFiles, signal: AbortSignal): Promise<TargetSpecs> {
    return a1111Targets(this.#readList, route, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#answers[Symbol.dispose]();
    await Promise.all([this.#http[Symbol.asyncDispose](), this.#downloads[Symbol.asyncDispose]()]);
  }
}

function progressOf({ isActive, fraction }: TaskState): EngineProgress {
  return isActive
    ? { type: 'progress', stage: 'rendering', fraction }
    : { type: 'progress', stage: 'waiting_for_engine', fraction: null };
}

async function base64Of({ path }: PreparedMedia): Promise<string> {
  return readFile(path, 'base64');
}
