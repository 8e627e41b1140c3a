import type { JsonObject, JsonValue } from '@renderkit/engine-kit/route.ts';
import {
  Counterpart,
  type CounterpartAnswer,
  type CounterpartRequest,
  type Purpose,
} from '@renderkit/engine-kit/testing/counterpart.ts';

interface Video {
  readonly id: string;
  readonly asked: JsonObject;
  readonly createdAt: number;
  looks: number;
  isDeleted: boolean;
}

/** Returns the bytes of the result. */
export function resultBytes(): Buffer {
  return Buffer.from(`a video, ${'x'.repeat(4_000)}`);
}

/** OpenAI's videos API, below `/v1`. */
export class VideosCounterpart extends Counterpart {
  /** Returns the bytes of a result; a test that decodes results sets real ones. */
  resultOf: () => Buffer = resultBytes;
  /** Forms that the server accepted, in order. */
  readonly forms: FormData[] = [];
  /** Status, error and progress of all videos from now on, where these differ from the usual ones. */
  shows: JsonObject = {};
  /** Converts times to this server's form. */
  timeOf: (ms: number) => JsonValue = (ms) => Math.floor(ms / 1_000);
  lists = true;
  readonly #videos: Video[] = [];

  constructor() {
    super();
    this.#add('yesterday', { prompt: 'a lake' }, Date.now() - 86_400_000);
    this.#add('foreign', { prompt: 'of another', model: 'wan', seconds: '4', size: '832x480' }, Date.now());
  }

  get jobs(): number {
    return this.forms.length;
  }

  #add(id: string, asked: JsonObject, createdAt: number): Video {
    const video = { id, asked, createdAt, looks: 0, isDeleted: false };
    this.#videos.push(video);
    return video;
  }

  protected purposeOf(method: string, path: string): Purpose {
    if (path.endsWith('/content')) return 'result';
    if (path === '/v1/models') return 'probe';
    if (method === 'DELETE') return 'cancel';
    if (path === '/v1/videos') return method === 'POST' ? 'submit' : 'find';
    return 'look';
  }

  protected async answer(request: CounterpartRequest): Promise<CounterpartAnswer> {
    const { purpose, path } = request;
    if (purpose === 'probe') return { status: 404 };
    if (purpose === 'submit') return this.#submit(request);
    if (purpose === 'find') {
      if (!this.lists) return { status: 405, json: { error: 'Method Not Allowed' } };
      const data = this.#videos.toReversed().map((video) => this.#show(video));
      return { json: { object: 'list', data, has_more: false } };
    }
    const video = this.#videos.find(({ id, isDeleted }) => id === path.split('/')[3] && !isDeleted);
    if (video === undefined) return { status: 404, json: { error: { message: 'No such video' } } };
    if (purpose === 'result') return this.#content();
    if (purpose === 'cancel') {
      if (video.id === 'foreign') this.endedForeign = true;
      video.isDeleted = true;
      return { json: { id: video.id, object: 'video.deleted', deleted: true } };
    }
    video.looks += 1;
    return { json: this.#show(video) };
  }

  async #submit(request: CounterpartRequest): Promise<CounterpartAnswer> {
    const seconds = (await request.form()).get('seconds');
    if (seconds !== null && Number.isNaN(Number(seconds)))
      return { status: 400, json: { error: { message: 'seconds is no valid number' } } };
    return { json: this.#show(await this.#take(request)) };
  }

  async #take(request: CounterpartRequest): Promise<Video> {
    const form = await request.form();
    this.forms.push(form);
    const asked: Record<string, JsonValue> = {};
    for (const [key, value] of form) if (typeof value === 'string') asked[key] = value;
    return this.#add(`video_${this.jobs}`, asked, Date.now());
  }

  #content(): CounterpartAnswer {
    if (this.results === 'missing') return { status: 404, json: { error: { message: 'Expired' } } };
    if (this.results === 'other_shape') return { status: 204 };
    if (this.results === 'elsewhere') return { status: 302, headers: { location: 'http://127.0.0.1:9/a' } };
    return { bytes: this.resultOf() };
  }

  #show({ id, asked, createdAt, looks }: Video): JsonObject {
    const shown = { id, object: 'video', ...asked, created_at: this.timeOf(createdAt), tomorrow: {} };
    if (looks < 2) return { ...shown, status: 'queued', progress: 0 };
    if (looks < 3 || this.held) return { ...shown, status: 'in_progress', progress: 40, ...this.shows };
    return { ...shown, status: 'completed', progress: 100, error: null, ...this.shows };
  }
}
