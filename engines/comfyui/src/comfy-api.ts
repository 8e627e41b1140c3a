import { refusalOf } from '@renderkit/engine-kit/backend-answer.ts';
import { type BackendHttp, type BackendRequest, submitAnswerMs } from '@renderkit/engine-kit/backend-http.ts';
import { saveOwn } from '@renderkit/engine-kit/download.ts';
import { EngineFailure, type PreparedMedia } from '@renderkit/engine-kit/driver.ts';
import type { BackendAnswer } from '@renderkit/engine-kit/http-exchange.ts';
import {
  isArray,
  isObject,
  type Json,
  JsonError,
  type JsonObject,
  readJson,
  textAt,
  valueAt,
} from './json.ts';

/** Subfolder of ComfyUI's input and output folders for all of our files. */
export const ownFolder = 'rk';

/** A file as ComfyUI names it. */
export interface ServerFile {
  readonly filename: string;
  readonly subfolder: string;
  readonly type: string;
}

/** Where a job is. `position`: number of jobs before it. `absent`: ComfyUI has no record of the job now. */
export type JobState =
  | { readonly at: 'pending'; readonly position: number }
  | { readonly at: 'running' }
  | { readonly at: 'ended'; readonly entry: JsonObject }
  | { readonly at: 'absent' };

/** Milliseconds for answers that cost ComfyUI nothing. */
const quickMs = 10_000;
/** ComfyUI reads a large upload completely before it answers. */
const uploadMs = 120_000;
const statsMs = 3_000;
const extensions: Readonly<Record<PreparedMedia['contentType'], string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'video/mp4': 'mp4',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
};

/** ComfyUI's routes, one method for each. All throw EngineFailure, or the signal's reason. */
export class ComfyApi {
  readonly name: string;
  readonly #http: BackendHttp;
  #hasJobRoutes: boolean | undefined;

  constructor(http: BackendHttp) {
    this.name = http.backend;
    this.#http = http;
  }

  /**
   * `POST /prompt`: sends exactly one request over its own connection, so that a refused connection means that nothing
   * was sent. Returns the answer with any status.
   */
  async submit(body: string, signal: AbortSignal): Promise<BackendAnswer> {
    return (await this.#http.begin(postOf('/prompt', body, signal, submitAnswerMs))).answer;
  }

  /**
   * Uploads a file under a name made of its content's hash. Returns the name by which a node loads the file: ComfyUI
   * keeps an existing file with the same bytes, but renames the upload if a different file has the name.
   */
  async upload(
    { path, sizeBytes, sha256, contentType }: PreparedMedia,
    signal: AbortSignal,
  ): Promise<string> {
    const fileName = `${sha256}.${extensions[contentType]}`;
    const answer = await this.#http.send({
      method: 'POST',
      to: '/upload/image',
      multipart: [
        { name: 'type', value: 'input' },
        { name: 'subfolder', value: ownFolder },
        { name: 'image', path, sizeBytes, fileName, contentType },
      ],
      answerMs: uploadMs,
      signal,
    });
    const json = this.#read(answer, 'it was sent a file');
    const name = valueAt(json, 'name');
    const subfolder = valueAt(json, 'subfolder');
    if (typeof name !== 'string' || name === '') throw this.#nonsense('it was sent a file');
    return typeof subfolder === 'string' && subfolder !== '' ? `${subfolder}/${name}` : name;
  }

  /** Looks in the history, then in the queue, then in the history again: a job may move between two requests. */
  async find(id: string, signal: AbortSignal): Promise<JobState> {
    const ended = await this.#history(id, signal);
    if (ended !== undefined) return { at: 'ended', entry: ended };
    const queue = await this.#get('/queue', signal);
    if (itemsOf(queue, 'queue_running').some((item) => item.id === id)) return { at: 'running' };
    const waiting = itemsOf(queue, 'queue_pending').toSorted((one, other) => one.number - other.number);
    const before = waiting.findIndex((item) => item.id === id);
    if (before !== -1) return { at: 'pending', position: before + itemsOf(queue, 'queue_running').length };
    const entry = await this.#history(id, signal);
    return entry === undefined ? { at: 'absent' } : { at: 'ended', entry };
  }

  async #history(id: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const entry = valueAt(await this.#get(`/history/${id}`, signal), id);
    return isObject(entry) ? entry : undefined;
  }

  /** Removes a job from the queue if it waits there. */
  async dequeue(id: string, signal: AbortSignal): Promise<void> {
    this.#expectSuccess(
      await this.#post('/queue', JSON.stringify({ delete: [id] }), signal),
      'a job was taken back',
    );
  }

  /** Ends a job if it is the running one. Servers older than 0.3.57 end whichever job runs. */
  async interrupt(id: string, signal: AbortSignal): Promise<void> {
    const answer = await this.#post('/interrupt', JSON.stringify({ prompt_id: id }), signal);
    // Some servers answer 404 if the job is not the running one.
    if (answer.status !== 404) this.#expectSuccess(answer, 'a job was interrupted');
  }

  /** Ends a job by its id wherever it is, on newer servers. Returns undefined if the server has no such route. */
  async cancelJob(id: string, signal: AbortSignal): Promise<boolean | undefined> {
    if (!(await this.hasJobRoutes(signal))) return undefined;
    const answer = await this.#post(`/api/jobs/${id}/cancel`, '', signal);
    if (answer.status === 404 || answer.status === 405) return undefined;
    return valueAt(this.#read(answer, 'a job was canceled'), 'cancelled') === true;
  }

  /** Returns whether the server has `/api/jobs`. The answer is cached until `forget`. */
  async hasJobRoutes(signal: AbortSignal): Promise<boolean> {
    if (this.#hasJobRoutes === undefined) {
      const answer = await this.#http.send({ to: '/api/jobs?limit=1', answerMs: quickMs, signal });
      this.#hasJobRoutes = answer.status === 200 && isArray(valueAt(jsonOf(answer), 'jobs'));
    }
    return this.#hasJobRoutes;
  }

  /** Drops the cached answer, because another server may run at this address now. */
  forget(): void {
    this.#hasJobRoutes = undefined;
  }

  /** Deletes ended jobs from the history; their files stay. */
  async deleteHistory(id: string, signal: AbortSignal): Promise<void> {
    this.#expectSuccess(
      await this.#post('/history', JSON.stringify({ delete: [id] }), signal),
      'history was deleted',
    );
  }

  systemStats(signal: AbortSignal): Promise<Json> {
    return this.#get('/system_stats', signal, statsMs);
  }

  /** Returns whether the server has at least this version. A version that cannot be read counts as older. */
  async isVersionFrom(since: readonly number[], signal: AbortSignal): Promise<boolean> {
    const version = textAt(await this.systemStats(signal), 'system', 'comfyui_version');
    const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
    if (parts === undefined) return false;
    const at = since.findIndex((part, index) => part !== parts[index]);
    return at === -1 || (parts[at] ?? 0) > (since[at] ?? 0);
  }

  /** Returns the number of jobs that wait or run on the server. */
  async queueLength(signal: AbortSignal): Promise<number | null> {
    const remaining = valueAt(await this.#get('/prompt', signal, statsMs), 'exec_info', 'queue_remaining');
    return typeof remaining === 'number' ? remaining : null;
  }

  /** Returns the server's description of one class, or an empty object if there is no such class. */
  classInfo(name: string, signal: AbortSignal): Promise<Json> {
    return this.#get(`/object_info/${encodeURIComponent(name)}`, signal, uploadMs);
  }

  /** Returns the files in a folder of `models`, or an empty list if there is no such folder. */
  async modelFiles(folder: string, signal: AbortSignal): Promise<readonly Json[]> {
    const answer = await this.#http.send({
      to: `/models/${encodeURIComponent(folder)}`,
      answerMs: quickMs,
      signal,
    });
    const files = answer.status === 200 ? jsonOf(answer) : undefined;
    return isArray(files) ? files : [];
  }

  /** Returns the scripts that custom nodes bring. They change when packs are added or removed. */
  async extensions(signal: AbortSignal): Promise<readonly Json[]> {
    const answer = await this.#http.send({ to: '/extensions', answerMs: quickMs, signal });
    const names = answer.status === 200 ? jsonOf(answer) : undefined;
    return isArray(names) ? names : [];
  }

  /** Reads some bytes of a file: `bytes=-64` means the last 64. Returns undefined if there is no file. */
  async readRange(
    file: ServerFile,
    range: string,
    signal: AbortSignal,
  ): Promise<{ bytes: Buffer; sizeBytes: number } | undefined> {
    const headers = { range, 'accept-encoding': 'identity' };
    const answer = await this.#http.send({ to: viewPath(file), headers, answerMs: quickMs, signal });
    const total = /\/(\d+)$/.exec(String(answer.headers['content-range'] ?? ''))?.[1];
    if (answer.status === 206 && total !== undefined) return { bytes: answer.body, sizeBytes: Number(total) };
    // The file is empty or shorter than the requested range.
    if (answer.status === 416) return { bytes: Buffer.alloc(0), sizeBytes: 0 };
    if (answer.status === 404 || answer.status === 400) return undefined;
    throw refusalOf(this.#http, answer, 'a file was looked for');
  }

  /** Downloads a file, and continues by ranges if the connection breaks. Returns the status of the last answer. */
  async save(file: ServerFile, to: { path: string; maxBytes: number; signal: AbortSignal }): Promise<number> {
    return (await saveOwn(this.#http, viewPath(file), to)).status;
  }

  /** Returns the words of a refusal for a report, without keys. */
  quote(text: string): string {
    return this.#http.quote(text);
  }

  /** @throws EngineFailure */
  refuse(answer: BackendAnswer, doing: string): never {
    throw refusalOf(this.#http, answer, doing);
  }

  async #get(to: string, signal: AbortSignal, answerMs = quickMs): Promise<Json> {
    return this.#read(await this.#http.send({ to, answerMs, signal }), `asked for ${to.split('/')[1] ?? ''}`);
  }

  #post(to: string, body: string, signal: AbortSignal): Promise<BackendAnswer> {
    return this.#http.send(postOf(to, body, signal, quickMs));
  }

  #expectSuccess(answer: BackendAnswer, doing: string): void {
    if (answer.status < 200 || answer.status > 299) throw refusalOf(this.#http, answer, doing);
  }

  #read(answer: BackendAnswer, doing: string): Json {
    this.#expectSuccess(answer, doing);
    const json = jsonOf(answer);
    if (json === undefined) throw this.#nonsense(doing);
    return json;
  }

  #nonsense(doing: string): EngineFailure {
    return new EngineFailure(`${this.name} did not answer as a ComfyUI does when ${doing}.`, {
      blame: 'backend',
      code: 'engine_unavailable',
      sent: 'unknown',
    });
  }
}

function postOf(to: string, body: string, signal: AbortSignal, answerMs: number): BackendRequest {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', to, headers, bytes: Buffer.from(body), answerMs, signal };
}

/** Returns the JSON of an answer with every digit, or undefined if it is no JSON. Python writes NaN into JSON. */
export function jsonOf(answer: BackendAnswer): Json | undefined {
  try {
    return readJson(answer.body.toString('utf8'));
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function viewPath({ filename, subfolder, type }: ServerFile): string {
  return `/view?${new URLSearchParams({ filename, subfolder, type }).toString()}`;
}

/** Items of a queue: `[number, id, graph, extra, outputs]`. */
function itemsOf(queue: Json, name: string): { number: number; id: Json | undefined }[] {
  const items = valueAt(queue, name);
  if (!isArray(items)) return [];
  return items.map((item) => ({ number: Number(valueAt(item, 0)), id: valueAt(item, 1) }));
}
