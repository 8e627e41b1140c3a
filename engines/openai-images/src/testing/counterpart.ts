import type { JsonValue } from '@renderkit/engine-kit/route.ts';
import {
  Counterpart,
  type CounterpartAnswer,
  type CounterpartRequest,
  type Purpose,
} from '@renderkit/engine-kit/testing/counterpart.ts';

/** Returns the bytes of the result at an index. */
export function resultBytes(index: number): Buffer {
  return Buffer.from(`picture ${index} of images, ${'x'.repeat(2_000)}`);
}

/** OpenAI's images API, below `/v1`. */
export class ImagesCounterpart extends Counterpart {
  /** Returns the bytes of a result; a test that decodes results sets real ones. */
  resultOf: (index: number) => Buffer = resultBytes;
  /** Requests that the server accepted, in order; `forms` are the forms among them. */
  readonly taken: CounterpartRequest[] = [];
  readonly forms: FormData[] = [];
  /** Whether answers contain addresses instead of the pictures themselves. */
  givesAddresses = false;
  readonly #waiting: (() => void)[] = [];

  get jobs(): number {
    return this.taken.length;
  }

  get base(): string {
    return `${this.url}/v1`;
  }

  protected purposeOf(method: string, path: string): Purpose {
    if (path.startsWith('/files/')) return 'result';
    return method === 'POST' ? 'submit' : 'probe';
  }

  protected async answer(request: CounterpartRequest): Promise<CounterpartAnswer> {
    const { path, purpose } = request;
    if (purpose === 'result') return { bytes: this.resultOf(Number(path.split('/').at(-1))) };
    if (purpose === 'probe') return { json: { object: 'list', data: [{ id: 'gpt-image-1' }] } };
    if (request.json !== null && typeof request.json['prompt'] !== 'string')
      return { status: 400, json: { error: { message: 'prompt required', code: 'invalid_request' } } };
    this.taken.push(request);
    const form = path.endsWith('/edits') ? await request.form() : null;
    if (form !== null) this.forms.push(form);
    if (this.held) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    const count = Number(form?.get('n') ?? request.json?.['n'] ?? 1);
    return { json: { created: 1, data: this.#made(count), usage: usageOf(count), tomorrow: {} } };
  }

  #made(count: number): JsonValue {
    if (this.results === 'missing') return [];
    if (this.results === 'other_shape') return [{ text: 'a lake' }];
    const origin = this.results === 'elsewhere' ? 'http://127.0.0.1:9' : this.url;
    const isAddress = this.givesAddresses || this.results === 'elsewhere';
    return Array.from({ length: count }, (_, index): JsonValue =>
      isAddress
        ? { url: `${origin}/files/${index}` }
        : { b64_json: this.resultOf(index).toString('base64'), revised_prompt: 'A lake.' },
    );
  }

  override release(): void {
    super.release();
    for (const go of this.#waiting.splice(0)) go();
  }
}

function usageOf(count: number): JsonValue {
  return {
    total_tokens: 12 + 1_000 * count,
    input_tokens: 12,
    input_tokens_details: { text_tokens: 12, image_tokens: 0 },
    output_tokens: 1_000 * count,
  };
}
