import type { JsonObject, JsonValue } from '@renderkit/engine-kit/route.ts';
import {
  Counterpart,
  type CounterpartAnswer,
  type CounterpartRequest,
  type Purpose,
} from '@renderkit/engine-kit/testing/counterpart.ts';

interface Prediction {
  readonly id: string;
  readonly input: JsonObject;
  readonly createdAt: number;
  looks: number;
  canceled: boolean;
}

/** Returns the bytes of the result at an index. */
export function resultBytes(index: number): Buffer {
  return Buffer.from(`picture ${index} of replicate, ${'x'.repeat(2_000)}`);
}

/** Replicate's predictions, files and models, below `/v1`. */
export class ReplicateCounterpart extends Counterpart {
  /** Returns the bytes of a result; a test that decodes results sets real ones. */
  resultOf: (index: number) => Buffer = resultBytes;
  /** Paths, headers and bodies of the accepted requests, in order. */
  readonly taken: CounterpartRequest[] = [];
  readonly stored: FormData[] = [];
  /** Status and error of the predictions that end from now on. */
  ends: JsonObject | null = null;
  /** Number of predictions on a page of the list. */
  pageSize = 2;
  readonly #predictions: Prediction[] = [];

  constructor() {
    super();
    // Predictions of others, the newest last: one is running, one is from yesterday.
    this.#add('yesterday', { prompt: 'old' }, Date.now() - 86_400_000);
    this.#add('foreign', { prompt: 'of another' }, Date.now());
  }

  get jobs(): number {
    return this.taken.length;
  }

  get base(): string {
    return `${this.url}/v1`;
  }

  /** Removes the inputs of the predictions, as Replicate does after an hour. */
  removeData(): void {
    for (const [index, one] of this.#predictions.entries()) {
      this.#predictions[index] = { ...one, input: { removed: true } };
    }
  }

  #add(id: string, input: JsonObject, createdAt: number): Prediction {
    const prediction = { id, input, createdAt, looks: 0, canceled: false };
    this.#predictions.push(prediction);
    return prediction;
  }

  protected purposeOf(method: string, path: string): Purpose {
    if (path.startsWith('/delivery/')) return 'result';
    if (path === '/v1/files') return 'upload';
    if (path === '/v1/account') return 'probe';
    if (path.endsWith('/cancel')) return 'cancel';
    if (method === 'POST') return 'submit';
    if (path === '/v1/predictions') return 'find';
    return path.startsWith('/v1/models') ? 'check' : 'look';
  }

  protected async answer(request: CounterpartRequest): Promise<CounterpartAnswer> {
    const { path, purpose, query } = request;
    switch (purpose) {
      case 'result':
        return { bytes: this.resultOf(Number(path.split('/').at(-1))) };
      case 'probe':
        return { json: { type: 'organization', username: 'acme' } };
      case 'upload': {
        this.stored.push(await request.form());
        return { status: 201, json: { id: 'file', urls: { get: `${this.base}/files/file` } } };
      }
      case 'find':
        return { json: this.#list(Number(query.get('cursor') ?? 0)) };
      case 'check':
        return describeModel(path);
      case 'submit': {
        if (typeof (inputOf(request)['num_outputs'] ?? 1) !== 'number')
          return {
            status: 422,
            json: { detail: 'not a valid integer', invalid_fields: [] },
          };
        const prediction = this.#add(`pred-${this.jobs}`, inputOf(request), Date.now());
        this.taken.push(request);
        return { status: 201, json: this.#show(prediction) };
      }
      default: {
        const found = this.#predictions.find(({ id }) => id === path.split('/')[3]);
        if (found === undefined) return { status: 404, json: { detail: 'Not found.' } };
        if (purpose === 'cancel') this.#cancel(found);
        else found.looks += 1;
        return { json: this.#show(found) };
      }
    }
  }

  #cancel(prediction: Prediction): void {
    if (prediction.id === 'foreign') this.endedForeign = true;
    prediction.canceled = true;
  }

  #show(prediction: Prediction): JsonObject {
    const { id, input, createdAt, looks, canceled } = prediction;
    const shown = {
      id,
      input,
      model: 'black-forest-labs/flux-dev',
      created_at: new Date(createdAt).toISOString(),
      data_removed: input['removed'] === true,
      error: null,
      output: null,
      urls: { get: `${this.base}/predictions/${id}`, cancel: `${this.base}/predictions/${id}/cancel` },
      a_field_of_tomorrow: [1],
    };
    if (canceled) return { ...shown, status: 'canceled' };
    if (looks < 2) return { ...shown, status: 'starting', logs: '' };
    if (looks < 3 || this.held) return { ...shown, status: 'processing', logs: ' 10%|#\n 40%|####' };
    const metrics = { predict_time: 2.5, total_time: 9 };
    return { ...shown, status: 'succeeded', metrics, ...(this.ends ?? { output: this.#output(input) }) };
  }

  #output(input: JsonObject): JsonValue {
    if (this.results === 'missing') return [];
    if (this.results === 'other_shape') return [{ text: 'a lake' }];
    const origin = this.results === 'elsewhere' ? 'http://127.0.0.1:9' : this.url;
    return Array.from({ length: Number(input['num_outputs'] ?? 1) }, (_, at) => `${origin}/delivery/${at}`);
  }

  #list(from: number): JsonObject {
    const newestFirst = this.#predictions.toReversed();
    const end = from + this.pageSize;
    const next = end < newestFirst.length ? `${this.base}/predictions?cursor=${end}` : null;
    return { next, previous: null, results: newestFirst.slice(from, end).map((one) => this.#show(one)) };
  }
}

function inputOf({ json }: CounterpartRequest): JsonObject {
  return (json?.['input'] ?? {}) as JsonObject;
}

function describeModel(path: string): CounterpartAnswer {
  if (path !== '/v1/models/black-forest-labs/flux-dev')
    return { status: 404, json: { detail: 'Not found.' } };
  const properties = {
    prompt: { type: 'string' },
    num_outputs: { type: 'integer', minimum: 1, maximum: 4 },
    image: { type: 'string', format: 'uri' },
    output_format: { allOf: [{ $ref: '#/components/schemas/output_format' }], default: 'webp' },
  };
  const schemas = { Input: { type: 'object', properties }, output_format: { enum: ['webp', 'png'] } };
  return { json: { latest_version: { id: 'v1', openapi_schema: { components: { schemas } } } } };
}
