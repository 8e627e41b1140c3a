import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { portOf } from '@renderkit/egress/testing/loopback-server.ts';
import type { JsonValue } from '../route.ts';

/** The purpose of a request. */
export type Purpose = 'submit' | 'look' | 'find' | 'result' | 'cancel' | 'upload' | 'probe' | 'check';

export interface CounterpartRequest {
  readonly purpose: Purpose;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The body as JSON; `null` where it is not JSON. */
  readonly json: Record<string, JsonValue> | null;
  form(): Promise<FormData>;
}

export interface CounterpartAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly bytes?: Buffer;
}

/** A failure that a counterpart produces for one request. */
export type Mishap =
  /** The request is not accepted, and the connection breaks. */
  | 'lost_request'
  /** The request is accepted, and the connection breaks. */
  | 'lost_answer'
  /** The request is accepted, and only half of the answer's body is sent. */
  | 'cut_off'
  /** The request is accepted; the answer is a proxy's error page. */
  | 'nonsense'
  /** The request is not accepted, and there is no answer. */
  | 'silence'
  /** The request is not accepted, and this is the answer. */
  | CounterpartAnswer;

/**
 * A server that speaks an engine's protocol for tests. It counts its requests and fails as the test demands. A job of
 * somebody else runs there all the time.
 */
export abstract class Counterpart implements AsyncDisposable {
  readonly asked = { submit: 0, look: 0, find: 0, result: 0, cancel: 0, upload: 0, probe: 0, check: 0 };
  /** The results of jobs that end from now on. */
  results: 'good' | 'missing' | 'other_shape' | 'elsewhere' = 'good';
  /** While true, jobs do not end. */
  held = false;
  /** Whether the job of somebody else was ended. */
  endedForeign = false;
  readonly #mishaps = new Map<Purpose, Mishap[]>();
  readonly #server = createServer((incoming, response) => {
    this.#handle(incoming, response).catch((error: unknown) => {
      send(response, { status: 500, json: { counterpart: String(error) } });
    });
  });

  /** Number of jobs that the server accepted. */
  abstract readonly jobs: number;
  protected abstract purposeOf(method: string, path: string): Purpose;
  protected abstract answer(request: CounterpartRequest): CounterpartAnswer | Promise<CounterpartAnswer>;

  async start(port = 0): Promise<this> {
    this.#server.on('upgrade', (request, stream) => this.upgrade(request, stream));
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  /** Handles a request for a WebSocket. A protocol without WebSockets refuses it. */
  protected upgrade(_request: IncomingMessage, stream: Duplex): void {
    stream.destroy();
  }

  /** Closes all connections, as if the server had gone away. */
  protected cutConnections(): void {
    this.#server.closeAllConnections();
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  /** Makes the next requests of this purpose fail, in this order; later ones succeed. */
  mishaps(purpose: Purpose, ...list: Mishap[]): void {
    this.#mishaps.set(purpose, list);
  }

  /** Lets held jobs end. */
  release(): void {
    this.held = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://counterpart');
    const { method = 'GET', headers } = incoming;
    const purpose = this.purposeOf(method, pathname);
    this.asked[purpose] += 1;
    const body = await buffer(incoming);
    const mishap = this.#mishaps.get(purpose)?.shift();
    if (mishap === 'silence') return;
    if (mishap === 'lost_request') return void response.destroy();
    if (typeof mishap === 'object') return send(response, mishap);
    const answer = await this.answer({
      purpose,
      method,
      path: pathname,
      query: searchParams,
      headers,
      body,
      json: parse(body),
      form: () =>
        new Response(new Uint8Array(body), { headers: headers as Record<string, string> }).formData(),
    });
    if (mishap === 'lost_answer') return void response.destroy();
    if (mishap === 'nonsense') return send(response, { bytes: Buffer.from('<html>Welcome</html>') });
    if (mishap !== 'cut_off') return send(response, answer);
    const whole = bytesOf(answer);
    response.writeHead(answer.status ?? 200, { 'content-length': whole.length });
    response.write(whole.subarray(0, whole.length / 2), () => setImmediate(() => response.destroy()));
  }
}

function parse(body: Buffer): Record<string, JsonValue> | null {
  try {
    return JSON.parse(body.toString()) as Record<string, JsonValue>;
  } catch {
    return null;
  }
}

function bytesOf({ bytes, json }: CounterpartAnswer): Buffer {
  return bytes ?? Buffer.from(json === undefined ? '' : JSON.stringify(json));
}

function send(response: ServerResponse, answer: CounterpartAnswer): void {
  const bytes = bytesOf(answer);
  response.writeHead(answer.status ?? 200, { 'content-length': bytes.length, ...answer.headers });
  response.end(bytes);
}
