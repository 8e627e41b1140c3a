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

/** Subfolder of ComfyUI's input and output folders in which all of ours lies. */
export const ownFolder = 'rk';

/** A file as ComfyUI names it. */
export interface ServerFile {
  readonly filename: string;
  readonly subfolder: string;
  readonly type: string;
}

/** Where a job is. `position`: jobs before it. `absent`: ComfyUI knows nothing of it now. */
export type JobState =
  | { readonly at: 'pending'; readonly position: number }
  | { readonly at: 'running' }
  | { readonly at: 'ended'; readonly entry: JsonObject }
  | { readonly at: 'absent' };

/** Milliseconds for answers that cost ComfyUI nothing. */
const quickMs = 10_000;
/** A large upload is read whole before it is answered. */
const uploadMs = 120_000;
const statsMs = 3_000;
const extensions: Readonly<Record<PreparedMedia['contentType'], string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'video/mp4': 'mp4',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
};

/** ComfyUI's routes, one method each. All throw EngineFailure, or the signal's reason. */
export class ComfyApi {
  readonly name: string;
  readonly #http: BackendHttp;
  #hasJobRoutes: boolean | undefined;

  constructor(http: BackendHttp) {
    this.name = http.backend;
    this.#http = http;
  }

  /**
   * `POST /prompt`: exactly one request, over a connection of its own, so that one which is refused was not sent. Returns the
   * answer whatever its status.
   */
  async submit(body: string, signal: AbortSignal): Promise<BackendAnswer> {
    return (await this.#http.begin(postOf('/prompt', body, signal, submitAnswerMs))).answer;
  }

  /**
   * Uploads a file under its content's name and returns the name by which a node loads it. ComfyUI keeps one that is there
   * with the same bytes, and names another one of that name anew: so the name in its answer is the one to use.
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

  /** Looks in history, then in the queue, then in history again: a job goes from one to the other meanwhile. */
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

  /** Takes a job out of the queue, where it waits there. */
  async dequeue(id: string, signal: AbortSignal): Promise<void> {
    this.#expectSuccess(
      await this.#post('/queue', JSON.stringify({ delete: [id] }), signal),
      'a job was taken back',
    );
  }

  /** Ends a job where it is the one that runs; servers older than 0.3.57 end whatever runs. */
  async interrupt(id: string, signal: AbortSignal): Promise<void> {
    const answer = await this.#post('/interrupt', JSON.stringify({ prompt_id: id }), signal);
    // Some answer so where it is not the one that runs.
    if (answer.status !== 404) this.#expectSuccess(answer, 'a job was interrupted');
  }

  /** Newer servers end a job by its id wherever it is. Undefined where there is no such route. */
  async cancelJob(id: string, signal: AbortSignal): Promise<boolean | undefined> {
    if (!(await this.hasJobRoutes(signal))) return undefined;
    const answer = await this.#post(`/api/jobs/${id}/cancel`, '', signal);
    if (answer.status === 404 || answer.status === 405) return undefined;
    return valueAt(this.#read(answer, 'a job was canceled'), 'cancelled') === true;
  }

  /** Whether `/api/jobs` is there. Asked once; `forget` asks again. */
  async hasJobRoutes(signal: AbortSignal): Promise<boolean> {
    if (this.#hasJobRoutes === undefined) {
      const answer = await this.#http.send({ to: '/api/jobs?limit=1', answerMs: quickMs, signal });
      this.#hasJobRoutes = answer.status === 200 && isArray(valueAt(jsonOf(answer), 'jobs'));
    }
    return this.#hasJobRoutes;
  }

  /** Another server may stand there now. */
  forget(): void {
    this.#hasJobRoutes = undefined;
  }

  /** Forgets ended jobs; their files stay. */
  async deleteHistory(id: string, signal: AbortSignal): Promise<void> {
    this.#expectSuccess(
      await this.#post('/history', JSON.stringify({ delete: [id] }), signal),
      'history was deleted',
    );
  }

  systemStats(signal: AbortSignal): Promise<Json> {
    return this.#get('/system_stats', signal, statsMs);
  }

  /** Whether the server's version is not older; one that cannot be read counts as older. */
  async isVersionFrom(since: readonly number[], signal: AbortSignal): Promise<boolean> {
    const version = textAt(await this.systemStats(signal), 'system', 'comfyui_version');
    const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
    if (parts === undefined) return false;
    const at = since.findIndex((part, index) => part !== parts[index]);
    return at === -1 || (parts[at] ?? 0) > (since[at] ?? 0);
  }

  /** Jobs that wait or run there. */
  async queueLength(signal: AbortSignal): Promise<number | null> {
    const remaining = valueAt(await this.#get('/prompt', signal, statsMs), 'exec_info', 'queue_remaining');
    return typeof remaining === 'number' ? remaining : null;
  }

  /** What the server knows of one class; an empty object where it has none of that name. */
  classInfo(name: string, signal: AbortSignal): Promise<Json> {
    return this.#get(`/object_info/${encodeURIComponent(name)}`, signal, uploadMs);
  }

  /** Files in a folder of `models`; empty where it has no such folder. */
  async modelFiles(folder: string, signal: AbortSignal): Promise<readonly Json[]> {
    const answer = await this.#http.send({
      to: `/models/${encodeURIComponent(folder)}`,
      answerMs: quickMs,
      signal,
    });
    const files = answer.status === 200 ? jsonOf(answer) : undefined;
    return isArray(files) ? files : [];
  }

  /** Scripts that custom nodes bring: they change as packs come and go. */
  async extensions(signal: AbortSignal): Promise<readonly Json[]> {
    const answer = await this.#http.send({ to: '/extensions', answerMs: quickMs, signal });
    const names = answer.status === 200 ? jsonOf(answer) : undefined;
    return isArray(names) ? names : [];
  }

  /** Some bytes of a file: `bytes=-64` its last 64. Undefined where there is none. */
  async readRange(
    file: ServerFile,
    range: string,
    signal: AbortSignal,
  ): Promise<{ bytes: Buffer; sizeBytes: number } | undefined> {
    const headers = { range, 'accept-encoding': 'identity' };
    const answer = await this.#http.send({ to: viewPath(file), headers, answerMs: quickMs, signal });
    const total = /\/(\d+)$/.exec(String(answer.headers['content-range'] ?? ''))?.[1];
    if (answer.status === 206 && total !== undefined) return { bytes: answer.body, sizeBytes: Number(total) };
    // A file that is shorter than what was asked for, or empty.
    if (answer.status === 416) return { bytes: Buffer.alloc(0), sizeBytes: 0 };
    if (answer.status === 404 || answer.status === 400) return undefined;
    throw refusalOf(this.#http, answer, 'a file was looked for');
  }

  /** Fetches a file, continued by ranges where it breaks off. Returns the status of the last answer. */
  async save(file: ServerFile, to: { path: string; maxBytes: number; signal: AbortSignal }): Promise<number> {
    return (await saveOwn(this.#http, viewPath(file), to)).status;
  }

  /** What is to be told of a refusal: its words, without keys. */
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

/** The JSON of an answer, with every digit; undefined where there is none. Python writes NaN into it. */
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
