import type { RenderProgress } from '@renderkit/contract/studio/progress.ts';
import type { PreviewMode, Progress } from '@renderkit/contract/v1/schemas/progress.ts';
import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { eventBytes, type EventStream } from '@renderkit/server-kit/http/event-streams.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import { type Loop, startLoop } from '@renderkit/server-kit/work/loop.ts';
import type { StudioClient } from '../../studio-client/studio-client.ts';
import { generationText } from '../present.ts';
import { noSuchGeneration } from '../reads/read-generation.ts';
import { isFinal } from '../settle/status.ts';
import { previewOf, progressOf } from './present.ts';
import { type LiveView, createSlotTimes, readWithStarts } from './slot-times.ts';
import { readMoved } from './store.ts';
import { StudioProgress } from './studio-progress.ts';

/** A generation and its account. */
export type Asked = { id: string; accountId: string; studioAccountId: string };

/**
 * Receives an event of a generation: `generation`, `progress` or `preview`, and `done` last. `text` is its data, JSON.
 */
export type OnLiveEvent = (event: string, text: string) => void;

type Reader = {
  preview: PreviewMode;
  /** `bytes` returns the event in the format of a stream, made once for all readers. */
  write: (event: string, text: string, bytes: () => Buffer) => void;
  end: () => void;
};

/** A generation that at least one client watches. */
type Live = Asked & {
  readers: Set<Reader>;
  row: LiveView | undefined;
  /** The text that was last sent of each kind; the same text is not sent again. */
  generation: string | undefined;
  progress: string | undefined;
  /** Never decreases. */
  fraction: number | null;
  /** The revision of the preview that was last sent. */
  preview: number;
};

const defaultFloorMs = 1_000;

/**
 * Sends the progress of generations to clients that watch them as streams. What all readers of a generation share is
 * read, and converted to bytes, once. A slow reader later gets the newest event of each kind. Between events a stream
 * uses no timer and no database connection.
 */
export class LiveGenerations implements AsyncDisposable {
  readonly #database: Database;
  readonly #studio: StudioProgress;
  readonly #live = new Map<string, Live>();
  readonly #floor: Loop;
  readonly #read: (asked: { id: string; accountId: string }) => Promise<LiveView | undefined>;
  readonly #log: Logger;

  constructor({
    database,
    studioClient,
    log,
    floorMs = defaultFloorMs,
  }: {
    database: Database;
    studioClient: Pick<StudioClient, 'call'>;
    log: Logger;
    /** Milliseconds between looks for changes that no notification reported. */
    floorMs?: number | undefined;
  }) {
    this.#database = database;
    this.#log = log;
    const slotTimes = createSlotTimes(database);
    this.#read = createBatcher({
      run: (asked) => readWithStarts(database, slotTimes, asked),
      maxSize: 256,
      maxInFlight: 2,
      isHopeless: isDatabaseUnavailable,
    });
    this.#studio = new StudioProgress({
      studioClient,
      log,
      onProgress: (id, progress) => this.#onProgress(id, progress),
    });
    this.#floor = startLoop({ name: 'live generations', everyMs: floorMs, log, run: () => this.#look() });
  }

  /** Returns the progress of a generation. @throws ApiProblem `not_found` */
  async progress(asked: Asked): Promise<Progress> {
    const row = await this.check(asked);
    const isRunning = row.generation.status === 'running';
    const known = isRunning ? await this.#studio.look(asked, { bytes: false }) : undefined;
    return progressOf(row, { progress: known, isAway: this.#studio.isAway });
  }

  /**
   * Returns the newest preview of an output, a JPEG; undefined where that output has none.
   * @throws ApiProblem `not_found`
   */
  async preview(asked: Asked, index: number): Promise<{ bytes: Buffer; revision: number } | undefined> {
    const { generation } = await this.check(asked);
    if (generation.status !== 'running') return undefined;
    const preview = (await this.#studio.look(asked, { bytes: true }))?.preview;
    if (preview?.jpeg === undefined || preview.index !== index) return undefined;
    return { bytes: Buffer.from(preview.jpeg, 'base64'), revision: preview.revision };
  }

  /** Returns the record. @throws ApiProblem `not_found`, the same for a missing generation and for another account's */
  async check({ id, accountId }: Asked): Promise<LiveView> {
    const row = await this.#read({ id, accountId });
    if (row === undefined) throw noSuchGeneration();
    return row;
  }

  /** Sends a generation and its changes to a stream until the generation ends. Then it ends the stream. */
  add(stream: EventStream, asked: Asked, preview: PreviewMode): void {
    const leave = this.#join(asked, {
      preview,
      write: (event, _text, bytes) => stream.writeLatest(event, bytes()),
      end: () => stream.end(),
    });
    stream.onClose(leave);
  }

  /** Passes the same events to `onEvent` until the returned object is disposed. */
  follow(asked: Asked, preview: PreviewMode, onEvent: OnLiveEvent): Disposable {
    const leave = this.#join(asked, { preview, write: onEvent, end: () => undefined });
    return { [Symbol.dispose]: leave };
  }

  /** Reads these generations again, because their status has changed. */
  wake(ids: readonly string[]): void {
    for (const id of ids) {
      const live = this.#live.get(id);
      if (live !== undefined) void this.#refresh(live);
    }
  }

  /** Looks at once for missed changes, because notifications may have been lost. */
  lookNow(): void {
    this.#floor.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#floor[Symbol.asyncDispose]();
    await this.#studio[Symbol.asyncDispose]();
  }

  #join(asked: Asked, reader: Reader): () => void {
    const live = this.#live.get(asked.id) ?? newLive(asked);
    this.#live.set(asked.id, live);
    // Registers before it reads, so that a change in between wakes it.
    live.readers.add(reader);
    if (live.row === undefined) void this.#refresh(live);
    else this.#greet(live, [reader]);
    return () => {
      live.readers.delete(reader);
      if (live.readers.size === 0) this.#forget(live);
    };
  }

  #forget(live: Live): void {
    if (this.#live.get(live.id) !== live) return;
    this.#live.delete(live.id);
    this.#studio.unwatch(live.id);
  }

  async #look(): Promise<void> {
    const known: { id: string; status: string }[] = [];
    const waiting: Live[] = [];
    for (const live of this.#live.values()) {
      const status = live.row?.generation.status;
      // Its place in the queue may change while its status stays the same.
      if (status === undefined || status === 'queued') waiting.push(live);
      else known.push({ id: live.id, status });
    }
    if (known.length > 0) this.wake(await readMoved(this.#database, known));
    await Promise.all(waiting.map((live) => this.#refresh(live)));
  }

  /** Reads the record again and sends what is new. After a failure, the next look tries again. */
  async #refresh(live: Live): Promise<void> {
    let row: LiveView | undefined;
    try {
      row = await this.#read(live);
    } catch (error) {
      this.#log.debug({ err: error }, 'a watched generation could not be read');
      return;
    }
    if (this.#live.get(live.id) !== live) return;
    // The account was erased.
    if (row === undefined) return this.#end(live);
    if (live.row !== undefined && isFinal(live.row.generation.status)) return;
    const isFirst = live.row === undefined;
    live.row = row;
    const text = generationText(row.generation);
    const isNew = live.generation !== text;
    live.generation = text;
    const isOver = isFinal(row.generation.status);
    if (isNew && (isFirst || !isOver)) this.#send(live, 'generation', text);
    if (isOver) return this.#finish(live, text);
    if (row.generation.status === 'running')
      this.#studio.watch(live, () => [...live.readers].some(({ preview }) => preview === 'inline'));
    this.#sendProgress(live);
  }

  #finish(live: Live, text: string): void {
    this.#sendProgress(live);
    this.#send(live, 'done', text);
    this.#end(live);
  }

  #end(live: Live): void {
    for (const reader of live.readers) reader.end();
    this.#forget(live);
  }

  #onProgress(id: string, progress: RenderProgress): void {
    const live = this.#live.get(id);
    if (live?.row === undefined || isFinal(live.row.generation.status)) return;
    this.#sendProgress(live);
    const { preview } = progress;
    if (preview === null || preview.revision <= live.preview) return;
    live.preview = preview.revision;
    this.#sendPreview(live, progress, live.readers);
  }

  /** Sends the current state to a reader that joined after the first one. */
  #greet(live: Live, readers: Iterable<Reader>): void {
    const all = [...readers];
    if (live.generation !== undefined) write(all, 'generation', live.generation);
    const text = this.#progressText(live);
    if (text !== undefined) write(all, 'progress', text);
    const known = this.#studio.known(live.id);
    if (known !== undefined) this.#sendPreview(live, known, all);
  }

  #sendProgress(live: Live): void {
    const text = this.#progressText(live);
    if (text !== undefined && withoutTime(text) !== live.progress) this.#send(live, 'progress', text);
    live.progress = text && withoutTime(text);
  }

  #progressText(live: Live): string | undefined {
    if (live.row === undefined) return undefined;
    const word = { progress: this.#studio.known(live.id), isAway: this.#studio.isAway };
    const progress = progressOf(live.row, word);
    if (progress.fraction !== null) live.fraction = Math.max(live.fraction ?? 0, progress.fraction);
    return JSON.stringify({ ...progress, fraction: live.fraction });
  }

  #sendPreview(live: Live, { preview }: RenderProgress, readers: Iterable<Reader>): void {
    if (preview === null) return;
    const texts = new Map<PreviewMode, string | undefined>();
    for (const reader of readers) {
      const mode = reader.preview;
      if (!texts.has(mode)) {
        const shown = previewOf(live.id, preview, mode, preview.jpeg);
        texts.set(mode, shown && JSON.stringify(shown));
      }
      const text = texts.get(mode);
      if (text !== undefined) write([reader], 'preview', text);
    }
  }

  #send(live: Live, event: string, text: string): void {
    write(live.readers, event, text);
  }
}

function newLive(asked: Asked): Live {
  return {
    ...asked,
    readers: new Set(),
    row: undefined,
    generation: undefined,
    progress: undefined,
    fraction: null,
    preview: 0,
  };
}

const withoutTime = (text: string) => text.slice(0, text.lastIndexOf(',"at":'));

/** Writes an event to all readers and makes its bytes only once. */
function write(readers: Iterable<Reader>, event: string, text: string): void {
  let bytes: Buffer | undefined;
  for (const reader of readers)
    reader.write(event, text, () => (bytes ??= eventBytes({ event, data: text })));
}
