import type { JsonValue } from '@renderkit/engine-kit/route.ts';
import {
  Counterpart,
  type CounterpartAnswer,
  type CounterpartRequest,
  type Purpose,
} from '@renderkit/engine-kit/testing/counterpart.ts';

/** Returns the bytes of the result at an index. */
export function resultBytes(index: number): Buffer {
  return Buffer.from(`picture ${index} of the webui, ${'x'.repeat(2_000)}`);
}

const maxSlowLooks = 5;

/** The API of A1111's web interface: one task runs, others wait. */
export class A1111Counterpart extends Counterpart {
  /** Returns the bytes of a result; a test that decodes results sets real ones. */
  resultOf: (index: number) => Buffer = resultBytes;
  /** Requests that the server accepted, in order. */
  readonly taken: CounterpartRequest[] = [];
  /** If false, the server does not report tasks, like servers that only have a similar API. */
  tellsTasks = true;
  /** Number of tasks of others that wait behind ours. */
  othersWaiting = 0;
  /** Whether the running task is somebody else's. */
  foreignRuns = false;
  /** If true, tasks of many steps run until they are interrupted or were polled often. */
  holdsSlow = false;
  /** Whether the server lists schedulers, as servers since 1.9 do. */
  tellsSchedulers = true;
  interrupts = 0;
  readonly #active = new Set<string>();
  readonly #completed = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  #slowLooks = 0;
  #endSlow: () => void = () => {};

  get jobs(): number {
    return this.taken.length;
  }

  protected purposeOf(_method: string, path: string): Purpose {
    if (/\/(?:txt2img|img2img)$/.test(path)) return 'submit';
    if (path === '/internal/progress') return 'look';
    if (path.endsWith('/interrupt')) return 'cancel';
    if (path === '/sdapi/v1/sd-models') return 'probe';
    return 'check';
  }

  protected async answer(request: CounterpartRequest): Promise<CounterpartAnswer> {
    const { path, purpose, json } = request;
    if (purpose === 'submit') return this.#make(request);
    if (purpose === 'cancel') {
      this.interrupts += 1;
      this.#endSlow();
      if (this.foreignRuns) this.endedForeign = true;
      return { json: {} };
    }
    if (path === '/sdapi/v1/sd-models') return { json: [{ title: 'base.safetensors', model_name: 'base' }] };
    if (path === '/sdapi/v1/samplers') return { json: [{ name: 'Euler a', aliases: [], options: {} }] };
    if (path === '/sdapi/v1/schedulers' && this.tellsSchedulers)
      return { json: [{ name: 'karras', label: 'Karras', aliases: null }] };
    if (!this.tellsTasks) return { status: 404 };
    if (path === '/internal/pending-tasks') return { json: { size: this.othersWaiting, tasks: [] } };
    if (purpose !== 'look') return { status: 404, json: { detail: 'Not Found' } };
    const id = json?.['id_task'] as string;
    this.#slowLooks += 1;
    if (this.#slowLooks > maxSlowLooks) this.#endSlow();
    const isThere = this.#active.has(id);
    const active = isThere && !this.foreignRuns;
    const queued = isThere && this.foreignRuns;
    const completed = this.#completed.has(id);
    return { json: { active, queued, completed, progress: active ? 0.4 : null, eta: 3, tomorrow: null } };
  }

  async #make(request: CounterpartRequest): Promise<CounterpartAnswer> {
    const { json } = request;
    const width = json?.['width'] ?? 0;
    if (typeof width !== 'number')
      return { status: 422, json: { detail: [{ loc: ['body', 'width'], msg: 'not a valid integer' }] } };
    this.taken.push(request);
    const id = json?.['force_task_id'] as string;
    this.#active.add(id);
    if (this.holdsSlow && Number(json?.['steps']) > 10) {
      this.#slowLooks = 0;
      await new Promise<void>((resolve) => (this.#endSlow = resolve));
    }
    if (this.held) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    this.#active.delete(id);
    this.#completed.add(id);
    return { json: { images: this.#made(Number(json?.['batch_size'] ?? 1)), parameters: {}, info: '{}' } };
  }

  #made(count: number): JsonValue {
    if (this.results === 'missing') return [];
    if (this.results === 'other_shape') return [{ text: 'a lake' }];
    return Array.from({ length: count }, (_, index) => this.resultOf(index).toString('base64'));
  }

  override release(): void {
    super.release();
    for (const go of this.#waiting.splice(0)) go();
  }
}
