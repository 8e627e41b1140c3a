import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { BackendAccess, DriverLog } from '@renderkit/engine-kit/driver.ts';
import type { EnginePreview } from '@renderkit/engine-kit/report.ts';
import { type Json, JsonError, readJson, valueAt } from './json.ts';

/** Receives the events of one job. */
export interface Listener {
  /** An event about the job. */
  event(type: string, data: Json | undefined): void;
  preview(preview: Omit<EnginePreview, 'type'>): void;
  /** Called when the queue of ComfyUI or the connection changed. */
  stir(what: 'queue' | 'connection'): void;
}

/** Milliseconds for which an idle connection stays open for the next job. */
const idleMs = 30_000;
const minRetryMs = 1_000;
const maxRetryMs = 30_000;
/**
 * Limit for one binary frame of ComfyUI: a header and an image that is made smaller later. Larger frames are dropped.
 */
const maxBinaryFrameBytes = 4 * 1024 * 1024;
const binaryTypes = { preview: 1, previewWithMetadata: 4 } as const;

/**
 * The only connection for events of a backend, for all jobs that this process follows. It only makes things faster: the
 * outcome of a job is in the history, and a job can be followed without a connection.
 *
 * ComfyUI sends the events of a job to the connection with the client id that the job was sent with. Each connection
 * has a new id, because newer servers want a proof from a client that reuses an id. Jobs of an earlier connection are
 * checked when the queue changes: ComfyUI reports this to every client.
 */
export class ComfySocket implements Disposable {
  readonly #access: BackendAccess;
  readonly #log: DriverLog;
  readonly #listeners = new Map<string, Set<Listener>>();
  #socket: WebSocket | undefined;
  #clientId = '';
  #isOpen = false;
  #runningId: string | undefined;
  #retryMs = minRetryMs;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(access: BackendAccess, log: DriverLog) {
    this.#access = access;
    this.#log = log;
  }

  /** Returns the client id to send a job with. Opens a connection if there is none, without waiting for it. */
  clientId(): string {
    if (this.#socket === undefined && !this.#isDisposed) this.#connect();
    this.#closeWhenIdle();
    return this.#clientId;
  }

  /** Waits until the connection is open, for at most `ms` milliseconds. Returns the client id to send a job with. */
  async openClientId(ms: number, signal: AbortSignal): Promise<string> {
    const id = this.clientId();
    const socket = this.#socket;
    if (this.#isOpen || socket === undefined) return id;
    const bounded = { signal: AbortSignal.any([signal, AbortSignal.timeout(ms)]) };
    await Promise.race([once(socket, 'open', bounded), once(socket, 'close', bounded)]).catch(() => {});
    signal.throwIfAborted();
    return this.clientId();
  }

  /** Returns whether events of jobs that were sent with this id arrive now. */
  hears(clientId: string | null): boolean {
    return this.#isOpen && clientId === this.#clientId;
  }

  /** Sends the events of a job to the listener until the result is disposed. */
  listen(promptId: string, listener: Listener): Disposable {
    const listeners = this.#listeners.get(promptId) ?? new Set();
    this.#listeners.set(promptId, listeners.add(listener));
    this.clientId();
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0) this.#listeners.delete(promptId);
        this.#closeWhenIdle();
      },
    };
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    this.#close();
  }

  #connect(): void {
    clearTimeout(this.#timer);
    this.#clientId = randomUUID();
    const url = new URL(this.#access.url);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/ws`;
    url.search = `?clientId=${this.#clientId}`;
    const { secret, headers } = this.#access;
    const key: Record<string, string> = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
    const socket = new WebSocket(url, { headers: { ...key, ...headers } });
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      this.#isOpen = true;
      this.#retryMs = minRetryMs;
      socket.send(JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } }));
      this.#stirAll('connection');
    });
    socket.addEventListener('message', ({ data }: { data: unknown }) => {
      if (this.#socket !== socket) return;
      if (typeof data === 'string') this.#takeText(data);
      else if (data instanceof ArrayBuffer) this.#takeBytes(Buffer.from(data));
    });
    // A failure raises the event `error`, then `close`.
    socket.addEventListener('error', () => {});
    socket.addEventListener('close', () => this.#closed(socket));
    this.#socket = socket;
    this.#isOpen = false;
  }

  #closed(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    const wasOpen = this.#isOpen;
    this.#socket = undefined;
    this.#isOpen = false;
    this.#runningId = undefined;
    if (this.#isDisposed || this.#listeners.size === 0) return;
    this.#log.debug({ backend: this.#access.name, wasOpen }, 'The connection for events closed.');
    if (wasOpen) this.#stirAll('connection');
    this.#timer = setTimeout(() => this.#connect(), this.#retryMs).unref();
    this.#retryMs = Math.min(maxRetryMs, this.#retryMs * 2);
  }

  #closeWhenIdle(): void {
    if (this.#listeners.size > 0 || this.#isDisposed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#listeners.size === 0) this.#close();
    }, idleMs).unref();
  }

  #close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isOpen = false;
    socket?.close();
  }

  #takeText(text: string): void {
    let frame: Json;
    try {
      frame = readJson(text);
    } catch (error) {
      if (error instanceof JsonError) return;
      throw error;
    }
    const type = valueAt(frame, 'type');
    const data = valueAt(frame, 'data');
    const id = valueAt(data, 'prompt_id');
    if (type === 'status') this.#stirAll('queue');
    if (typeof type !== 'string' || typeof id !== 'string') return;
    this.#runningId = id;
    for (const listener of this.#listeners.get(id) ?? []) listener.event(type, data);
  }

  #takeBytes(frame: Buffer): void {
    if (frame.length < 8 || frame.length > maxBinaryFrameBytes) return;
    const type = frame.readUInt32BE(0);
    if (type === binaryTypes.preview) {
      // The frame does not name its job, but ComfyUI runs only one job at a time.
      const contentType = frame.readUInt32BE(4) === 2 ? 'image/png' : 'image/jpeg';
      this.#show(this.#runningId, contentType, frame.subarray(8));
    } else if (type === binaryTypes.previewWithMetadata) {
      const end = 8 + frame.readUInt32BE(4);
      if (end >= frame.length) return;
      let metadata: Json;
      try {
        metadata = readJson(frame.toString('utf8', 8, end));
      } catch (error) {
        if (error instanceof JsonError) return;
        throw error;
      }
      const id = valueAt(metadata, 'prompt_id');
      const isPng = valueAt(metadata, 'image_type') === 'image/png';
      this.#show(
        typeof id === 'string' ? id : this.#runningId,
        isPng ? 'image/png' : 'image/jpeg',
        frame.subarray(end),
      );
    }
  }

  #show(id: string | undefined, contentType: EnginePreview['contentType'], bytes: Buffer): void {
    for (const listener of this.#listeners.get(id ?? '') ?? []) listener.preview({ contentType, bytes });
  }

  #stirAll(what: 'queue' | 'connection'): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener.stir(what);
  }
}
