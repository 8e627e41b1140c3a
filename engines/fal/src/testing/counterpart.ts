import { isObject } from '@renderkit/engine-kit/backend-answer.ts';
import type { JsonValue } from '@renderkit/engine-kit/route.ts';
import {
  Counterpart,
  type CounterpartAnswer,
  type CounterpartRequest,
  type Purpose,
} from '@renderkit/engine-kit/testing/counterpart.ts';

interface Job {
  readonly id: string;
  readonly endpoint: string;
  readonly input: Record<string, JsonValue>;
  looks: number;
}

const resultPath = '/files/';

/** Returns the bytes of the result at an index. */
export function resultBytes(index: number): Buffer {
  return Buffer.from(`picture ${index} of fal, ${'x'.repeat(2_000)}`);
}

/** fal's queue, its list of requests, its storage and its schemas, at one origin. */
export class FalCounterpart extends Counterpart {
  /** Returns the bytes of a result; a test that decodes results sets real ones. */
  resultOf: (index: number) => Buffer = resultBytes;
  /** Bodies of the jobs that the server accepted, in order. */
  readonly inputs: Record<string, JsonValue>[] = [];
  readonly headersOfSubmits: CounterpartRequest['headers'][] = [];
  /** The files in its storage. */
  readonly stored: Buffer[] = [];
  /** The answer to jobs that end from now on, where they make no files. */
  ends: CounterpartAnswer | null = null;
  readonly #jobs = new Map<string, Job>([
    ['foreign', { id: 'foreign', endpoint: 'a/b', input: {}, looks: 0 }],
  ]);

  get jobs(): number {
    return this.inputs.length;
  }

  protected purposeOf(method: string, path: string): Purpose {
    if (path.startsWith(resultPath)) return 'result';
    if (path.startsWith('/storage/') || path === '/put') return 'upload';
    if (path.startsWith('/v1/models/requests')) return 'find';
    if (path.includes('renderkit/requests')) return 'probe';
    if (path.startsWith('/api/openapi')) return 'check';
    if (method === 'PUT') return 'cancel';
    return method === 'POST' ? 'submit' : 'look';
  }

  protected answer(request: CounterpartRequest): CounterpartAnswer {
    const { method, path, query } = request;
    if (path.startsWith(resultPath)) return { bytes: this.resultOf(Number(path.slice(resultPath.length))) };
    if (path.startsWith('/api/openapi')) return schemaOf(query.get('endpoint_id'));
    if (path === '/storage/upload/initiate') {
      const file_url = `${this.url}/stored/${this.stored.length}`;
      return { json: { upload_url: `${this.url}/put`, file_url } };
    }
    if (path === '/put') {
      this.stored.push(request.body);
      return { json: {} };
    }
    if (path === '/v1/models/requests/by-endpoint') return { json: this.#list(query.get('endpoint_id')) };
    const [, id, verb] = /\/requests\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    if (id === undefined) return this.#take(request);
    const job = this.#jobs.get(id);
    if (job === undefined) return { status: 404, json: { detail: 'Request not found' } };
    if (verb === 'status') return { json: this.#status(job) };
    if (verb === 'cancel' && method === 'PUT') return this.#cancel(job);
    return this.ends ?? { json: this.#output(job) };
  }

  #take({ path, json, headers }: CounterpartRequest): CounterpartAnswer {
    const size = json?.['image_size'];
    const width = isObject(size) ? (size['width'] ?? 0) : 0;
    if (typeof width !== 'number')
      return {
        status: 422,
        json: { detail: [{ loc: ['body', 'image_size', 'width'], msg: 'not a valid integer' }] },
      };
    const id = `req-${this.inputs.length}`;
    this.inputs.push(json ?? {});
    this.headersOfSubmits.push(headers);
    this.#jobs.set(id, { id, endpoint: path.slice(1), input: json ?? {}, looks: 0 });
    const request = `${this.url}${path.split('/').slice(0, 3).join('/')}/requests/${id}`;
    return {
      json: {
        request_id: id,
        response_url: request,
        status_url: `${request}/status`,
        cancel_url: `${request}/cancel`,
        queue_position: 0,
        gateway_request_id: id,
        a_field_of_tomorrow: { x: 1 },
      },
    };
  }

  #status(job: Job): JsonValue {
    job.looks += 1;
    if (job.looks === 1) return { status: 'IN_QUEUE', queue_position: 2, request_id: job.id, tomorrow: [] };
    if (job.looks === 2 || this.held) return { status: 'IN_PROGRESS', logs: [], request_id: job.id };
    return { status: 'COMPLETED', request_id: job.id, metrics: { inference_time: 1.5 } };
  }

  #output({ input }: Job): JsonValue {
    if (this.results === 'missing') return { images: [], seed: 1 };
    if (this.results === 'other_shape') return { pictures: ['a'], seed: 1 };
    const origin = this.results === 'elsewhere' ? 'http://127.0.0.1:9' : this.url;
    const count = Number(input['num_images'] ?? 1);
    return {
      images: Array.from({ length: count }, (_, index) => ({
        url: `${origin}${resultPath}${index}`,
        content_type: 'image/png',
      })),
      has_nsfw_concepts: Array.from({ length: count }, (_, index) => index === 1),
      timings: {},
    };
  }

  #list(endpoint: string | null): JsonValue {
    const items = [...this.#jobs.values()]
      .filter((job) => job.endpoint === endpoint)
      .map(({ id, input }) => ({
        request_id: id,
        endpoint_id: endpoint,
        status_code: 200,
        json_input: input,
      }));
    return { items, next_cursor: null, has_more: false };
  }

  #cancel(job: Job): CounterpartAnswer {
    if (job.looks > 2 && !this.held) return { status: 400, json: { status: 'ALREADY_COMPLETED' } };
    if (job.id === 'foreign') this.endedForeign = true;
    return job.looks > 1
      ? { status: 202, json: { status: 'CANCELLATION_REQUESTED' } }
      : { json: { status: 'OK' } };
  }
}

function schemaOf(endpoint: string | null): CounterpartAnswer {
  if (endpoint !== 'fal-ai/flux/dev') return { status: 404, json: { detail: 'Not found' } };
  const text = { type: 'string' };
  const properties = {
    prompt: text,
    image_url: text,
    num_images: { type: 'integer', minimum: 1, maximum: 4 },
    num_inference_steps: { type: 'integer' },
    image_size: { $ref: '#/components/schemas/ImageSize' },
    output_format: { enum: ['png', 'jpeg'] },
  };
  const schema = { $ref: '#/components/schemas/Input' };
  const imageSize = { type: 'object', properties: { width: { type: 'integer', maximum: 14_142 } } };
  return {
    json: {
      paths: {
        [`/${endpoint}`]: { post: { requestBody: { content: { 'application/json': { schema } } } } },
      },
      components: { schemas: { Input: { type: 'object', properties }, ImageSize: imageSize } },
    },
  };
}
