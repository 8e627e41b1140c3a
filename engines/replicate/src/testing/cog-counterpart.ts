import type { JsonObject, JsonValue } from '@renderkit/engine-kit/route.ts';
import {
  Counterpart,
  type CounterpartAnswer,
  type CounterpartRequest,
  type Purpose,
} from '@renderkit/engine-kit/testing/counterpart.ts';

/** Returns the bytes of the result at an index. */
export function cogResultBytes(index: number): Buffer {
  return Buffer.from(`picture ${index} of cog, ${'x'.repeat(2_000)}`);
}

/** A Cog server: one prediction at a time, answered when it is finished. */
export class CogCounterpart extends Counterpart {
  /** Returns the bytes of a result; a test that decodes results sets real ones. */
  resultOf: (index: number) => Buffer = cogResultBytes;
  /** Requests that the server accepted, in order. */
  readonly taken: CounterpartRequest[] = [];
  health = 'READY';
  #running: string | null = null;
  #release = () => {};

  get jobs(): number {
    return this.taken.length;
  }

  protected purposeOf(method: string, path: string): Purpose {
    if (path === '/health-check') return 'probe';
    if (path === '/openapi.json') return 'check';
    if (path.endsWith('/cancel')) return 'cancel';
    return method === 'PUT' ? 'submit' : 'look';
  }

  protected async answer(request: CounterpartRequest): Promise<CounterpartAnswer> {
    const { purpose, path } = request;
    const id = path.split('/')[2] ?? '';
    switch (purpose) {
      case 'probe':
        return { json: { status: this.health, setup: { status: 'succeeded' } } };
      case 'check':
        return { json: schema };
      case 'cancel':
        if (this.#running !== id) return { status: 404, json: {} };
        this.#release();
        return { json: {} };
      case 'submit':
        return this.#predict(id, request);
      default:
        return { status: 405, json: { detail: 'Method Not Allowed' } };
    }
  }

  async #predict(id: string, request: CounterpartRequest): Promise<CounterpartAnswer> {
    const input = (request.json?.['input'] ?? {}) as JsonObject;
    const shown = { id, input, logs: 'step 1/10\n', error: null, output: null, metrics: null };
    if (this.#running === id) return { status: 202, json: { ...shown, status: 'processing' } };
    if (this.#running !== null) return { status: 409, json: { detail: 'Already running a prediction' } };
    this.taken.push(request);
    if (this.held) {
      this.#running = id;
      await new Promise<void>((resolve) => (this.#release = resolve));
      this.#running = null;
      return { json: { ...shown, status: 'canceled' } };
    }
    return { json: { ...shown, status: 'succeeded', output: this.#output(Number(input['count'] ?? 1)) } };
  }

  #output(count: number): JsonValue {
    if (this.results === 'missing') return null;
    if (this.results === 'other_shape') return { text: 'a lake' };
    return Array.from(
      { length: count },
      (_, index) => `data:image/png;base64,${this.resultOf(index).toString('base64')}`,
    );
  }
}

const properties = { prompt: { type: 'string' }, count: { type: 'integer' }, width: { type: 'integer' } };
const schema = { openapi: '3.0.2', components: { schemas: { Input: { type: 'object', properties } } } };
