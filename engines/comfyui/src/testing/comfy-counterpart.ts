import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  Counterpart,
  type CounterpartAnswer,
  type CounterpartRequest,
  type Purpose,
} from '@renderkit/engine-kit/testing/counterpart.ts';
import { counterpartClasses, describeClass, type PlainGraph, validatePrompt } from './counterpart-classes.ts';
import { CounterpartEngine, type QueueItem, type Script } from './counterpart-engine.ts';
import { storeUpload, viewFile } from './counterpart-files.ts';
import { acceptWebSocket } from './web-socket-server.ts';

/** Faults of the HTTP side for a test, in addition to the engine's script. */
interface Faults {
  /** Every answer has this status and no body. */
  answersOnly: number | undefined;
  /** A newer server: it has `/api/jobs`, and answers 409 for an id that exists. */
  isNewer: boolean;
  /** Servers before July 2025 choose the id of a job themselves. */
  choosesIds: boolean;
  /** Jobs ignore interrupts, like those of node packs that never check for one. */
  ignoresInterrupts: boolean;
}

/** Starts a counterpart on a free port of the loopback. */
export async function startComfyCounterpart(
  script: Partial<Script> = {},
  faults: Partial<Faults> = {},
): Promise<ComfyCounterpart> {
  return new ComfyCounterpart({ script, faults }).start();
}

/** Imitates ComfyUI's protocol after recorded answers of real servers, and counts its requests. */
export class ComfyCounterpart extends Counterpart {
  readonly script: Script;
  readonly faults: Faults;
  /** Files by `type/subfolder/name`. */
  readonly files: Map<string, Buffer>;
  /** Heads of the requests for a WebSocket. */
  readonly handshakes: IncomingMessage['headers'][] = [];
  interrupts = 0;
  #engine: CounterpartEngine;
  #begunBefore = 0;
  #taken = 0;

  constructor({
    script = {},
    faults = {},
    files = new Map<string, Buffer>(),
  }: { script?: Partial<Script>; faults?: Partial<Faults>; files?: Map<string, Buffer> } = {}) {
    super();
    this.files = files;
    this.script = {
      version: '0.3.64',
      nodeMs: 0,
      steps: {},
      previews: 'none',
      historyLateMs: 0,
      interruptLateMs: 0,
      failWith: undefined,
      checkpoints: [],
      truncateTo: undefined,
      ...script,
    };
    this.faults = {
      answersOnly: undefined,
      isNewer: false,
      choosesIds: false,
      ignoresInterrupts: false,
      ...faults,
    };
    this.#engine = this.#startEngine();
  }

  get jobs(): number {
    return this.#taken;
  }

  /** Number of jobs that were started. */
  get executions(): number {
    return this.#begunBefore + this.#engine.executions;
  }

  /** Simulates a crash and a new process on the same folders, which remembers no job. */
  restart(): void {
    this.#engine.stop();
    this.#begunBefore += this.#engine.executions;
    this.#engine = this.#startEngine();
    this.cutConnections();
  }

  cutSockets(): void {
    for (const { socket } of this.#engine.clients.values()) socket.cut();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#engine.stop();
    await super[Symbol.asyncDispose]();
  }

  #startEngine(): CounterpartEngine {
    return new CounterpartEngine(this.script, this.files, this);
  }

  protected override upgrade(request: IncomingMessage, stream: Duplex): void {
    this.handshakes.push(request.headers);
    const engine = this.#engine;
    const id = new URL(request.url ?? '', this.url).searchParams.get('clientId') ?? randomUUID();
    const socket = acceptWebSocket(request, stream, {
      text: (text) => {
        const message = JSON.parse(text) as { type?: string; data?: { supports_preview_metadata?: boolean } };
        const client = engine.clients.get(id);
        if (message.type !== 'feature_flags' || client === undefined) return;
        client.wantsMetadata = message.data?.supports_preview_metadata === true;
        const data = { supports_preview_metadata: true, max_upload_size: 104_857_600 };
        client.socket.sendText(JSON.stringify({ type: 'feature_flags', data }));
      },
      close: () => engine.clients.delete(id),
    });
    engine.clients.set(id, { socket, wantsMetadata: false });
    engine.tellQueue(id);
  }

  protected purposeOf(method: string, path: string): Purpose {
    return purposes[routeOf(method, partsOf(path))] ?? (method === 'POST' ? 'cancel' : 'probe');
  }

  protected answer(request: CounterpartRequest): CounterpartAnswer {
    if (this.faults.answersOnly !== undefined) return { status: this.faults.answersOnly };
    try {
      return this.#answer(request);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const words = '500 Internal Server Error\n\nServer got itself in trouble';
      return { status: 500, bytes: Buffer.from(words) };
    }
  }

  #answer(request: CounterpartRequest): CounterpartAnswer {
    const parts = partsOf(request.path);
    const route = routeOf(request.method, parts);
    if (route.endsWith(' /api/jobs')) return this.#jobs(route, parts);
    return request.method === 'POST' ? this.#act(route, request) : this.#tell(route, parts[1], request);
  }

  #tell(route: string, name: string | undefined, { query, headers }: CounterpartRequest): CounterpartAnswer {
    const engine = this.#engine;
    const item = ({ number, id, graph, extra, outputs }: QueueItem): unknown[] => [
      number,
      id,
      graph,
      extra,
      outputs,
    ];
    switch (route) {
      case 'GET /system_stats':
        return { json: systemStats(this.script.version) };
      case 'GET /features':
        return { json: { supports_preview_metadata: true, max_upload_size: 104_857_600 } };
      case 'GET /extensions':
        return { json: [] };
      case 'GET /models':
        if (name === undefined) return { json: ['checkpoints', 'loras', 'vae'] };
        return name === 'nosuch'
          ? { status: 404 }
          : { json: name === 'checkpoints' ? this.script.checkpoints : [] };
      case 'GET /prompt':
        return { json: { exec_info: { queue_remaining: engine.remaining } } };
      case 'GET /queue':
        return {
          json: {
            queue_running: engine.running === undefined ? [] : [item(engine.running)],
            queue_pending: engine.pending.map(item),
          },
        };
      case 'GET /history':
        return {
          json: Object.fromEntries([...engine.history].filter(([id]) => name === undefined || id === name)),
        };
      case 'GET /object_info': {
        const classes = Object.entries(counterpartClasses(this.script.checkpoints));
        const found = classes.filter(([one]) => name === undefined || one === name);
        return { json: Object.fromEntries(found.map(([one, spec]) => [one, describeClass(one, spec)])) };
      }
      case 'GET /view':
        return viewFile(this.files, query, headers.range);
      default:
        return { status: 404 };
    }
  }

  #act(route: string, { body, headers }: CounterpartRequest): CounterpartAnswer {
    const engine = this.#engine;
    if (route === 'POST /upload') return storeUpload(this.files, body, headers['content-type'] ?? '');
    const json = JSON.parse(body.length === 0 ? '{}' : body.toString('utf8')) as Record<string, unknown>;
    switch (route) {
      case 'POST /prompt':
        return this.#submit(json);
      case 'POST /queue': {
        const deleted = (json['delete'] ?? []) as string[];
        const kept = engine.pending.filter(({ id }) => !deleted.includes(id));
        if (json['clear'] === true) kept.length = 0;
        engine.pending.splice(0, engine.pending.length, ...kept);
        engine.tellQueue();
        return {};
      }
      case 'POST /interrupt': {
        const id = json['prompt_id'];
        this.interrupts += 1;
        const keepsToId = this.script.version >= '0.3.57';
        if (this.faults.ignoresInterrupts) return {};
        if (!keepsToId || id === undefined || engine.running?.id === id) engine.interrupt();
        return {};
      }
      case 'POST /history':
        for (const id of (json['delete'] ?? []) as string[]) engine.history.delete(id);
        return {};
      default:
        return { status: 404 };
    }
  }

  #submit(json: Record<string, unknown>): CounterpartAnswer {
    const graph = json['prompt'] as PlainGraph | undefined;
    const refuse = (error: unknown, nodeErrors: unknown = {}): CounterpartAnswer => ({
      status: 400,
      json: { error, node_errors: nodeErrors },
    });
    if (graph === undefined)
      return refuse({
        type: 'no_prompt',
        message: 'No prompt provided',
        details: 'No prompt provided',
        extra_info: {},
      });
    const given = json['prompt_id'];
    const id = typeof given === 'string' && !this.faults.choosesIds ? given : randomUUID();
    const engine = this.#engine;
    const isKnown =
      engine.running?.id === id || engine.history.has(id) || engine.pending.some((one) => one.id === id);
    if (this.faults.isNewer && isKnown) return { status: 409, json: { error: 'prompt_id already exists' } };
    const checked = validatePrompt(graph, counterpartClasses(this.script.checkpoints), (name) =>
      this.files.has(`input/${name}`),
    );
    if (checked.error !== null) return refuse(checked.error, checked.nodeErrors);
    const number = this.#taken++;
    const extra = { client_id: json['client_id'] };
    engine.put({ number, id, graph, extra, outputs: checked.outputs });
    return { json: { prompt_id: id, number, node_errors: checked.nodeErrors } };
  }

  #jobs(route: string, [, , id, verb]: string[]): CounterpartAnswer {
    const engine = this.#engine;
    if (!this.faults.isNewer) return { status: 404 };
    if (route === 'GET /api/jobs' && id === undefined)
      return { json: { jobs: [], pagination: { offset: 0, limit: 1, total: 0, has_more: false } } };
    if (route !== 'POST /api/jobs' || verb !== 'cancel')
      return { status: 404, json: { error: 'Job not found' } };
    const at = engine.pending.findIndex((one) => one.id === id);
    if (at !== -1) engine.pending.splice(at, 1);
    if (engine.running?.id === id) engine.interrupt();
    return { json: { cancelled: at !== -1 || engine.running?.id === id } };
  }
}

/**
 * The purposes of requests. All requests about a waiting, running or ended job have the same purpose, because one check
 * asks at several addresses.
 */
const purposes: Readonly<Record<string, Purpose>> = {
  'POST /prompt': 'submit',
  'GET /history': 'look',
  'GET /queue': 'look',
  'GET /view': 'result',
  'POST /upload': 'upload',
  'GET /object_info': 'check',
};

/** Splits a path into parts. Every route also exists below `/api`. */
function partsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts[0] === 'api' && parts[1] !== 'jobs') parts.shift();
  return parts.map(decodeURIComponent);
}

function routeOf(method: string, [first, ...rest]: readonly string[]): string {
  return `${method} /${first === 'api' ? `api/${rest[0] ?? ''}` : (first ?? '')}`;
}

function systemStats(version: string): object {
  const memory = 24 * 1024 ** 3;
  return {
    system: {
      os: 'posix',
      ram_total: memory,
      ram_free: memory,
      comfyui_version: version,
      required_frontend_version: '1.27.10',
      installed_templates_version: null,
      required_templates_version: '0.1.95',
      python_version: '3.12.3',
      pytorch_version: '2.6.0',
      embedded_python: false,
      argv: ['main.py'],
    },
    devices: [
      {
        name: 'cuda:0',
        type: 'cuda',
        index: 0,
        vram_total: memory,
        vram_free: memory,
        torch_vram_total: memory,
        torch_vram_free: memory,
      },
    ],
  };
}
