import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { counterpartClasses, describeClass, type PlainGraph, validatePrompt } from './counterpart-classes.ts';
import { CounterpartEngine, type Script } from './counterpart-engine.ts';
import { type Answer, storeUpload, viewFile } from './counterpart-files.ts';
import { acceptWebSocket } from './web-socket-server.ts';

/** What a test wants of the HTTP side, beside the script of the engine. */
interface Faults {
  /** `POST /prompt` is taken, and its connection cut before the answer. */
  losesSubmitAnswers: boolean;
  /** `GET /view` breaks off after so many bytes, once for each file. */
  breaksViewAfter: number | undefined;
  /** Every answer is this status and nothing else. */
  answersOnly: number | undefined;
  /** Newer servers: `/api/jobs`, and 409 for an id that is there. */
  isNewer: boolean;
  /** Servers of before July 2025 choose the id of a job themselves. */
  choosesIds: boolean;
}

/** ComfyUI's protocol, drawn by ourselves after what real servers answered; it counts what it was asked to do. */
export interface ComfyCounterpart extends AsyncDisposable {
  readonly url: string;
  readonly script: Script;
  readonly faults: Faults;
  /** Requests so far, by method and first part of the path: `POST /prompt`. */
  readonly requests: ReadonlyMap<string, number>;
  /** Heads of the requests for a WebSocket. */
  readonly handshakes: readonly IncomingMessage['headers'][];
  /** Jobs that were begun. */
  readonly executions: number;
  readonly files: Map<string, Buffer>;
  /** The process dies and another one starts on the same folders: it remembers no job. */
  restart(): void;
  cutSockets(): void;
}

/** Starts a counterpart on a free port of the loopback. */
export async function startComfyCounterpart(
  script: Partial<Script> = {},
  faults: Partial<Faults> = {},
): Promise<ComfyCounterpart> {
  const counterpart = new Counterpart(script, faults);
  await counterpart.start();
  return counterpart;
}

class Counterpart implements ComfyCounterpart {
  readonly script: Script;
  readonly faults: Faults;
  readonly requests = new Map<string, number>();
  readonly handshakes: IncomingMessage['headers'][] = [];
  readonly files = new Map<string, Buffer>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #broken = new Set<string>();
  #engine: CounterpartEngine;
  #before = 0;
  #number = 0;

  constructor(script: Partial<Script>, faults: Partial<Faults>) {
    this.script = {
      version: '0.3.64',
      nodeMs: 0,
      hold: undefined,
      steps: {},
      previews: 'none',
      historyLateMs: 0,
      failWith: undefined,
      checkpoints: [],
      truncateTo: undefined,
      ...script,
    };
    this.faults = {
      losesSubmitAnswers: false,
      breaksViewAfter: undefined,
      answersOnly: undefined,
      isNewer: false,
      choosesIds: false,
      ...faults,
    };
    this.#engine = new CounterpartEngine(this.script, this.files);
    this.#server.on('upgrade', (request, stream: Duplex) => this.#accept(request, stream));
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get executions(): number {
    return this.#before + this.#engine.executions;
  }

  restart(): void {
    this.#engine.stop();
    this.#before += this.#engine.executions;
    this.#engine = new CounterpartEngine(this.script, this.files);
  }

  cutSockets(): void {
    for (const { socket } of this.#engine.clients.values()) socket.cut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#engine.stop();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(request: IncomingMessage, stream: Duplex): void {
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

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    const parts = url.pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    if (parts[0] === 'api' && parts[1] !== 'jobs') parts.shift();
    const route = `${request.method} /${parts[0] === 'api' ? 'api/jobs' : (parts[0] ?? '')}`;
    this.requests.set(route, (this.requests.get(route) ?? 0) + 1);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const engine = this.#engine;
    let answer: Answer;
    try {
      answer =
        this.faults.answersOnly === undefined
          ? this.#answer(route, { parts, url, body, headers: request.headers })
          : { status: this.faults.answersOnly };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      answer = {
        status: 500,
        bytes: Buffer.from('500 Internal Server Error\n\nServer got itself in trouble'),
      };
    }
    if (engine !== this.#engine || (route === 'POST /prompt' && this.faults.losesSubmitAnswers)) {
      response.destroy();
      return;
    }
    const bytes =
      answer.bytes ??
      (answer.json === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(answer.json)));
    const type = answer.json === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
    response.writeHead(answer.status ?? 200, { 'content-length': bytes.length, ...type, ...answer.headers });
    const limit = this.faults.breaksViewAfter;
    if (
      route === 'GET /view' &&
      limit !== undefined &&
      bytes.length > limit &&
      !this.#broken.has(url.search)
    ) {
      this.#broken.add(url.search);
      response.write(bytes.subarray(0, limit), () => response.destroy());
    } else response.end(bytes);
  }

  #answer(route: string, { parts, url, body, headers }: Question): Answer {
    const engine = this.#engine;
    const json = (): Record<string, unknown> => JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    const classes = counterpartClasses(this.script.checkpoints);
    const item = ({
      number,
      id,
      graph,
      extra,
      outputs,
    }: NonNullable<CounterpartEngine['running']>): unknown[] => [number, id, graph, extra, outputs];
    const name = parts[1];
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
        const found = Object.entries(classes).filter(([one]) => name === undefined || one === name);
        return { json: Object.fromEntries(found.map(([one, spec]) => [one, describeClass(one, spec)])) };
      }
      case 'GET /view':
        return viewFile(this.files, url.searchParams, headers.range);
      case 'POST /prompt':
        return this.#submit(json());
      case 'POST /queue': {
        const deleted = (json()['delete'] ?? []) as string[];
        const kept = engine.pending.filter(({ id }) => !deleted.includes(id));
        if (json()['clear'] === true) kept.length = 0;
        engine.pending.splice(0, engine.pending.length, ...kept);
        engine.tellQueue();
        return {};
      }
      case 'POST /interrupt': {
        const id = body.length === 0 ? undefined : json()['prompt_id'];
        const keepsToId = this.script.version >= '0.3.57';
        if (!keepsToId || id === undefined || engine.running?.id === id) engine.interrupt();
        return {};
      }
      case 'POST /history':
        for (const id of (json()['delete'] ?? []) as string[]) engine.history.delete(id);
        return {};
      case 'POST /upload':
        return storeUpload(this.files, body, headers['content-type'] ?? '');
      default:
        return this.faults.isNewer ? this.#jobs(route, parts) : { status: 404 };
    }
  }

  #submit(json: Record<string, unknown>): Answer {
    const graph = json['prompt'] as PlainGraph | undefined;
    const refuse = (error: unknown, nodeErrors: unknown = {}): Answer => ({
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
    const number = this.#number++;
    const extra = { client_id: json['client_id'] };
    engine.put({ number, id, graph, extra, outputs: checked.outputs });
    return { json: { prompt_id: id, number, node_errors: checked.nodeErrors } };
  }

  #jobs(route: string, [, , id, verb]: string[]): Answer {
    const engine = this.#engine;
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

interface Question {
  readonly parts: string[];
  readonly url: URL;
  readonly body: Buffer;
  readonly headers: IncomingMessage['headers'];
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
