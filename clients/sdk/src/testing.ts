import type { Generation, GenerationRequest, Output, Problem, Upload } from './objects.generated.ts';
import type { ClientOptions } from './renderkit.ts';
import { sendWebhook } from './sample-delivery.ts';
import { pixel, sampleKey, sampleModel, sampleUpload, start } from './sample-objects.ts';
import type { WebhookEvent } from './webhooks.ts';

export { pixel as samplePicture, sampleEvent, sampleEventTypes } from './sample-objects.ts';

/** The planned result of the next create. */
export type NextGeneration = {
  /** The generation fails with this error code: `moderation_blocked`, `render_timeout`, … */
  fail?: string | undefined;
  /** The generation ends with this status instead of `succeeded`. */
  status?: 'failed' | 'canceled' | undefined;
  /** The create is refused with this code: `queue_full`, `insufficient_credits`, … */
  refuse?: Problem['code'] | undefined;
  /** How long the generation runs, in milliseconds of the mock's clock. 1,000 when left out. */
  slow?: number | undefined;
};

/** Options of `mockRenderkit`. */
export type MockOptions = {
  /**
   * `manual`: the clock stands until `advance` is called. `real`: the clock runs with the machine's clock, and long
   * polls wait. `auto`, the default: a long poll or a stream moves the clock to the next change of its generation, so
   * waiting takes no time.
   */
  clock?: 'manual' | 'real' | 'auto' | undefined;
  /** Credits of the account at the start. 1,000 when left out. */
  credits?: number | undefined;
};

/** A Renderkit service in memory, for tests of a program that uses one. */
export type MockRenderkit = {
  /** Options for `new Renderkit(mock.options)`: the address, the key and a fetch that never leaves the process. */
  options: Required<Pick<ClientOptions, 'baseUrl' | 'apiKey' | 'fetch'>>;
  /** Plans the result of the next create. Several plans apply in order. */
  next(plan: NextGeneration): void;
  /** Moves the clock forward by this many milliseconds. */
  advance(ms: number): void;
  /** All requests so far. */
  requests: readonly { method: string; path: string; body: unknown }[];
  /** Posts a signed webhook to a handler or an address, and returns its response. */
  sendWebhook(
    target: string | ((request: Request) => Response | Promise<Response>),
    event: WebhookEvent,
    secret: string,
  ): Promise<Response>;
};

type Job = Generation & {
  key: string | null;
  body: string;
  plan: NextGeneration;
  startsAt: number;
  endsAt: number;
};

/** Interval at which a held response checks the clock. */
const tickMs = 5;
const queuedMs = 200;
const ordinaryMs = 1_000;
const creditsOfEach = 1;

const kinds: Record<string, Generation['kind']> = {
  '/v1/images/generations': 'image',
  '/v1/images/edits': 'image_edit',
  '/v1/videos/generations': 'video',
  '/v1/videos/extend': 'video_extend',
};

/** `contract/v1/problem-codes.ts` has the codes and statuses of the service. */
const titles: Partial<Record<Problem['code'], [status: number, title: string]>> = {
  invalid_request: [400, 'Bad Request'],
  unauthorized: [401, 'Unauthorized'],
  insufficient_credits: [402, 'Payment Required'],
  not_found: [404, 'Not Found'],
  conflict: [409, 'Conflict'],
  forbidden: [403, 'Forbidden'],
  budget_exceeded: [403, 'Forbidden'],
  unprocessable: [422, 'Unprocessable Entity'],
  moderation_blocked: [422, 'Unprocessable Entity'],
  rate_limited: [429, 'Too Many Requests'],
  queue_full: [429, 'Too Many Requests'],
  upstream_error: [502, 'Bad Gateway'],
  upstream_unavailable: [503, 'Service Unavailable'],
};

/**
 * Creates a Renderkit service in memory. Its generations go from queued to running to their end, on the mock's own
 * clock. Each costs one credit and outputs a picture of one pixel; the mock supports Idempotency-Key. It passes the
 * same conformance tests as the real service.
 */
export function mockRenderkit(options: MockOptions = {}): MockRenderkit {
  const mock = new Mock(options);
  return {
    options: {
      baseUrl: 'http://renderkit.test',
      apiKey: 'rk_live_mock',
      fetch: (url, init) => mock.fetch(url, init),
    },
    next: (plan) => void mock.plans.push(plan),
    advance: (ms) => mock.advance(ms),
    requests: mock.requests,
    sendWebhook: (target, event, secret) => sendWebhook(target, event, secret),
  };
}

/** `conformance.ts` has the cases in which the mock and the service must agree. */
class Mock {
  readonly plans: NextGeneration[] = [];
  readonly requests: { method: string; path: string; body: unknown }[] = [];
  readonly #jobs = new Map<string, Job>();
  readonly #uploads = new Map<string, Upload>();
  readonly #auto: boolean;
  readonly #real: boolean;
  #credits: number;
  #moved = start;
  #ids = 0;

  constructor({ clock = 'auto', credits = 1_000 }: MockOptions) {
    this.#auto = clock === 'auto';
    this.#real = clock === 'real';
    this.#credits = credits;
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    if (init.signal?.aborted === true) throw init.signal.reason;
    if (url.startsWith('data:')) return fetch(url);
    const { pathname, searchParams } = new URL(url);
    const method = init.method ?? 'GET';
    const body = bodyOf(init.body);
    if (body === noJson) return this.#problem('invalid_request', 'The body is no JSON.');
    this.requests.push({ method, path: pathname, body });
    const headers = new Headers(init.headers);
    if (headers.get('authorization') !== 'Bearer rk_live_mock')
      return this.#problem('unauthorized', 'The API key is not valid.');
    return this.#route(method, pathname, searchParams, headers, body, init.signal ?? undefined);
  }

  async #route(
    method: string,
    path: string,
    query: URLSearchParams,
    headers: Headers,
    body: unknown,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const kind = kinds[path];
    if (method === 'POST' && kind !== undefined)
      return this.#create(kind, (body ?? {}) as Record<string, unknown>, headers.get('idempotency-key'));
    if (method === 'POST' && path === '/v1/estimate')
      return this.#estimate((body ?? {}) as { kind: Generation['kind'] });
    if (method === 'POST' && path === '/v1/uploads') return this.#upload(body);
    if (method === 'GET' && path === '/v1/generations') return this.#list(query);
    if (method === 'GET' && path === '/v1/account/balance') return this.#json(200, this.#balance());
    if (method === 'GET' && path === '/v1/key') return this.#json(200, sampleKey);
    if (method === 'GET' && path === '/v1/models')
      return this.#json(200, { object: 'list', data: [sampleModel], page: 1, limit: 100, has_more: false });
    if (method === 'GET' && path === `/v1/models/${sampleModel.id}`) return this.#json(200, sampleModel);
    const [, , resource, id = '', action] = path.split('/');
    const upload = this.#uploads.get(id);
    if (resource === 'uploads' && method === 'GET' && upload !== undefined) return this.#json(200, upload);
    const job = this.#jobs.get(decodeURIComponent(id));
    if (resource !== 'generations' || job === undefined)
      return this.#problem('not_found', `There is no ${method} ${path} in the mock.`);
    if (method === 'POST' && action === 'cancel') return this.#cancel(job);
    if (method !== 'GET') return this.#problem('not_found', `There is no ${method} ${path} in the mock.`);
    if (action === 'events') return this.#stream(job, signal);
    if (action === 'progress') return this.#json(200, this.#progress(job));
    if (action === 'request') return this.#json(200, requestOf(job));
    if (action !== undefined) return this.#problem('not_found', `There is no ${path} in the mock.`);
    // The real service holds this response back; the mock moves the clock instead.
    if (query.has('wait') && this.#auto) this.#moveOn(job);
    if (this.#real) await this.#hold(job, Number(query.get('wait') ?? 0), signal);
    return this.#json(200, this.#shown(job));
  }

  advance(ms: number): void {
    this.#moved += ms;
  }

  get #now(): number {
    return this.#real ? Date.now() + this.#moved - start : this.#moved;
  }

  /** Moves the clock to the next change of this generation. */
  #moveOn(job: Job): void {
    const next = this.#now < job.startsAt ? job.startsAt : job.endsAt;
    this.#moved = Math.max(this.#now, next);
  }

  /** Waits until the generation is over, or this many seconds have passed. */
  async #hold(job: Job, seconds: number, signal: AbortSignal | undefined): Promise<void> {
    const end = Date.now() + seconds * 1_000;
    while (this.#shown(job).completed_at === null && Date.now() < end) {
      if (signal?.aborted === true) throw signal.reason;
      await new Promise((resolve) => setTimeout(resolve, tickMs));
    }
  }

  #create(kind: Generation['kind'], request: Record<string, unknown>, key: string | null): Response {
    const body = JSON.stringify([kind, request]);
    const earlier = [...this.#jobs.values()].find((job) => key !== null && job.key === key);
    if (earlier !== undefined) {
      return earlier.body === body
        ? this.#json(202, { ...this.#shown(earlier), ...freshly }, { 'Idempotent-Replayed': 'true' })
        : this.#problem('conflict', 'This Idempotency-Key was used for another request.');
    }
    const refused = this.plans[0]?.refuse;
    if (refused !== undefined) {
      this.plans.shift();
      return this.#problem(refused, `The mock was told to refuse: ${refused}.`);
    }
    const wrong = wrongFields(kind, request);
    if (wrong.length > 0) {
      const detail = wrong.map(({ field, message }) => `${field}: ${message}`).join('; ');
      return this.#problem('invalid_request', detail, wrong);
    }
    if (this.#credits < creditsOfEach)
      return this.#problem('insufficient_credits', 'The account cannot pay for this.');
    this.#credits -= creditsOfEach;
    const job = this.#newJob(kind, request, key, body);
    this.#jobs.set(job.id, job);
    return this.#json(202, this.#shown(job));
  }

  #newJob(kind: Generation['kind'], request: Record<string, unknown>, key: string | null, body: string): Job {
    const plan = this.plans.shift() ?? {};
    return {
      id: this.#id('gen'),
      object: 'generation',
      kind,
      status: 'queued',
      model: typeof request['model'] === 'string' ? request['model'] : 'mock-1',
      project_id: typeof request['project_id'] === 'string' ? request['project_id'] : null,
      cost: { credits: creditsOfEach },
      expected_outputs: 1,
      outputs: [],
      error: null,
      prompt_id: null,
      metadata: (request['metadata'] ?? {}) as Record<string, string>,
      created_at: new Date(this.#now).toISOString(),
      submitted_at: null,
      completed_at: null,
      key,
      body,
      plan,
      startsAt: this.#now + queuedMs,
      endsAt: this.#now + queuedMs + (plan.slow ?? ordinaryMs),
    };
  }

  /** Returns the generation as of the mock's current time. Finishes it and refunds its credits where due. */
  #shown(job: Job): Generation {
    if (job.completed_at === null && this.#now >= job.startsAt) {
      job.status = 'running';
      job.submitted_at = new Date(job.startsAt).toISOString();
    }
    if (job.completed_at === null && this.#now >= job.endsAt) this.#finish(job);
    const { key: _key, body: _body, plan: _plan, startsAt: _starts, endsAt: _ends, ...generation } = job;
    return generation;
  }

  #finish(job: Job): void {
    const { fail, status } = job.plan;
    job.completed_at = new Date(job.endsAt).toISOString();
    job.status = status ?? (fail === undefined ? 'succeeded' : 'failed');
    if (job.status === 'succeeded') {
      job.outputs = [outputOf(job)];
      return;
    }
    this.#credits += creditsOfEach;
    if (job.status === 'failed')
      job.error = {
        code: fail ?? 'render_failed',
        message: `The mock was told to fail: ${fail ?? 'render_failed'}.`,
      };
  }

  #cancel(job: Job): Response {
    if (this.#shown(job).status !== 'queued')
      return this.#problem('conflict', 'Only a queued generation can be canceled.');
    job.status = 'canceled';
    job.completed_at = new Date(this.#now).toISOString();
    this.#credits += creditsOfEach;
    return this.#json(200, this.#shown(job));
  }

  #progress(job: Job): object {
    const { status } = this.#shown(job);
    const final = status !== 'queued' && status !== 'running';
    const part = (this.#now - job.startsAt) / (job.endsAt - job.startsAt);
    return {
      object: 'progress',
      generation_id: job.id,
      stage: final ? 'done' : status === 'queued' ? 'queued' : 'rendering',
      fraction: final ? 1 : status === 'queued' ? null : part,
      step: null,
      steps: null,
      outputs_done: job.outputs.length,
      outputs_expected: job.expected_outputs,
      queue: status === 'queued' ? { position: 1, of: 1, reason: 'engine_busy' } : null,
      starts_in_seconds: null,
      finishes_in_seconds: null,
      at: new Date(this.#now).toISOString(),
    };
  }

  #stream(job: Job, signal: AbortSignal | undefined): Response {
    const encoder = new TextEncoder();
    const text = (event: string, data: object) =>
      encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    let first = true;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (first) {
          first = false;
          controller.enqueue(text('generation', this.#shown(job)));
          controller.enqueue(text('progress', this.#progress(job)));
          return;
        }
        const before = this.#shown(job).status;
        if (this.#auto) this.#moveOn(job);
        while (this.#shown(job).status === before && job.completed_at === null) {
          if (signal?.aborted === true) return controller.error(signal.reason);
          await new Promise((resolve) => setTimeout(resolve, tickMs));
        }
        const generation = this.#shown(job);
        controller.enqueue(text('progress', this.#progress(job)));
        if (job.completed_at === null) return controller.enqueue(text('generation', generation));
        controller.enqueue(text('done', generation));
        controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
  }

  #list(query: URLSearchParams): Response {
    const page = Number(query.get('page') ?? 1);
    const limit = Number(query.get('limit') ?? 20);
    const all = [...this.#jobs.values()]
      .map((job) => this.#shown(job))
      .toReversed()
      .filter(({ status }) => query.get('status') === null || status === query.get('status'))
      .filter(({ kind }) => query.get('kind') === null || kind === query.get('kind'));
    const data = all.slice((page - 1) * limit, page * limit);
    return this.#json(200, { object: 'list', data, page, limit, has_more: all.length > page * limit });
  }

  #estimate({ kind }: { kind: Generation['kind'] }): Response {
    return this.#json(200, {
      object: 'estimate',
      kind,
      model: 'mock-1',
      credits: creditsOfEach,
      balance: this.#credits,
      sufficient: this.#credits >= creditsOfEach,
      outputs: 1,
    });
  }

  #balance(): object {
    return {
      object: 'balance',
      balance: this.#credits,
      monthly: this.#credits,
      lifetime: 0,
      monthly_allowance: 1_000,
      next_refill: null,
    };
  }

  #upload(body: unknown): Response {
    const file = body instanceof FormData ? body.get('file') : null;
    const upload: Upload = {
      ...sampleUpload,
      id: this.#id('upl'),
      ...(file instanceof File && { file_name: file.name, size_bytes: file.size }),
      created_at: new Date(this.#now).toISOString(),
    };
    this.#uploads.set(upload.id, upload);
    return this.#json(201, upload);
  }

  #id(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_mock${String(this.#ids).padStart(8, '0')}`;
  }

  #json(status: number, body: object, headers: Record<string, string> = {}): Response {
    return new Response(JSON.stringify(body), {
      status,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': this.#id('req'),
        'x-ratelimit-limit': '120',
        'x-ratelimit-remaining': '119',
        ...headers,
      },
    });
  }

  #problem(code: Problem['code'], detail: string, errors?: Problem['errors']): Response {
    const [status, title] = titles[code] ?? [500, 'Internal Server Error'];
    return this.#json(
      status,
      {
        type: `http://renderkit.test/docs/problems#${code}`,
        title,
        status,
        code,
        detail,
        request_id: this.#id('req'),
        ...(errors === undefined ? {} : { errors }),
      },
      { 'content-type': 'application/problem+json; charset=utf-8' },
    );
  }
}

const noJson = Symbol('no JSON');

function bodyOf(body: RequestInit['body']): unknown {
  if (typeof body !== 'string') return body;
  try {
    return body === '' ? undefined : (JSON.parse(body) as unknown);
  } catch {
    return noJson;
  }
}

/** Fields of a replayed response: it shows the response of the create, whatever has happened since. */
const freshly = {
  status: 'queued',
  outputs: [],
  error: null,
  submitted_at: null,
  completed_at: null,
} as const;

function wrongFields(kind: Generation['kind'], request: Record<string, unknown>) {
  const wrong: { field: string; message: string }[] = [];
  const required = kind === 'image_edit' ? 'image' : kind === 'video_extend' ? 'video_id' : undefined;
  if (required !== undefined && typeof request[required] !== 'string')
    wrong.push({ field: required, message: 'is required' });
  if ((kind === 'image' || kind === 'video') && (request['prompt'] ?? '') === '')
    wrong.push({ field: 'prompt', message: 'the model needs a prompt' });
  return wrong;
}

/** Returns the request of a generation. The mock renders nothing, so the seed is `null`. */
function requestOf({ id, kind, body: text }: Job): GenerationRequest {
  const [, body] = JSON.parse(text) as [Generation['kind'], Record<string, unknown>];
  const path = Object.keys(kinds).find((one) => kinds[one] === kind) ?? '';
  return {
    object: 'generation_request',
    generation_id: id,
    path,
    body,
    seed: null,
    model_version: null,
    repeat: body,
  };
}

function outputOf(job: Job): Output {
  const video = job.kind === 'video' || job.kind === 'video_extend';
  return {
    id: `out_${job.id.slice(4)}`,
    type: video ? 'video' : 'image',
    url: pixel,
    thumb_url: null,
    width: 1,
    height: 1,
    duration: video ? 1 : null,
    nsfw: false,
    request_id: null,
  };
}
