import type { Database } from '@renderkit/server-kit/db/database.ts';
import { eventBytes, type EventStream } from '@renderkit/server-kit/http/event-streams.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { type Loop, startLoop } from '@renderkit/server-kit/work/loop.ts';
import { eventText } from './present.ts';
import { type AccountEvent, readNextEvents } from './store.ts';

/** Carries ids of accounts that have new events. */
export const accountEventsChannel = 'account_events';

/** How many positions one statement reads from, and how many events it reads for each. */
const positionsAtOnce = 200;
const eventsAtOnce = 50;

type Reader = {
  accountId: string;
  /** The position of the last event that was sent. */
  position: number;
  types: ReadonlySet<string> | undefined;
  stream: EventStream;
  /** The client cannot take more at the moment. */
  isBehind: boolean;
};

type Sent = { type: string; bytes: Buffer };

/**
 * Sends accounts' events to clients that read them as streams. Each reader has its own position and gets the events
 * after it, so that no event is lost or sent twice. Readers at the same position share a read. `routes.ts` finds the
 * position of a `Last-Event-ID` and refuses an old one. The functions insert_generations, move_generations and
 * write_event write the events (sql/functions).
 */
export class AccountStreams implements AsyncDisposable {
  readonly #database: Database;
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #due = new Set<Reader>();
  readonly #floor: Loop;
  readonly #floorMs: number;
  #lookedAt = 0;

  constructor({ database, log, floorMs = 1_000 }: { database: Database; log: Logger; floorMs?: number }) {
    this.#database = database;
    this.#floorMs = floorMs;
    this.#floor = startLoop({
      name: 'account streams',
      everyMs: floorMs,
      log,
      run: (stopping) => this.#send(stopping),
    });
  }

  /** Sends a stream the account's events of the given types after a position, until the stream closes. */
  add(stream: EventStream, from: Pick<Reader, 'accountId' | 'position' | 'types'>): void {
    const reader: Reader = { ...from, stream, isBehind: false };
    const others = this.#readers.get(from.accountId);
    if (others === undefined) this.#readers.set(from.accountId, new Set([reader]));
    else others.add(reader);
    stream.onClose(() => this.#remove(reader));
    this.#makeDue([reader]);
  }

  /** Sends the new events of these accounts. */
  wake(accountIds: readonly string[]): void {
    for (const accountId of accountIds) {
      const readers = this.#readers.get(accountId);
      if (readers !== undefined) this.#makeDue(readers);
    }
  }

  /** Looks at once for missed events, because notifications may have been lost. */
  lookNow(): void {
    this.#lookedAt = 0;
    this.#floor.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#floor[Symbol.asyncDispose]();
  }

  #makeDue(readers: Iterable<Reader>): void {
    for (const reader of readers) this.#due.add(reader);
    this.#floor.wake();
  }

  #remove(reader: Reader): void {
    this.#due.delete(reader);
    const others = this.#readers.get(reader.accountId);
    others?.delete(reader);
    if (others?.size === 0) this.#readers.delete(reader.accountId);
  }

  async #send(stopping: AbortSignal): Promise<void> {
    if (performance.now() - this.#lookedAt >= this.#floorMs) {
      this.#lookedAt = performance.now();
      for (const readers of this.#readers.values()) for (const reader of readers) this.#due.add(reader);
    }
    while (this.#due.size > 0 && !stopping.aborted) await this.#sendSome();
  }

  async #sendSome(): Promise<void> {
    const groups = new Map<string, Reader[]>();
    for (const reader of this.#due) {
      const place = `${reader.accountId} ${reader.position}`;
      const group = groups.get(place);
      if (group === undefined && groups.size === positionsAtOnce) continue;
      this.#due.delete(reader);
      if (reader.isBehind) continue;
      if (group === undefined) groups.set(place, [reader]);
      else group.push(reader);
    }
    const asked = [...groups.values()];
    if (asked.length === 0) return;
    const found = await readNextEvents(
      this.#database,
      asked.map(([first]) => ({ accountId: first?.accountId ?? '', after: first?.position ?? 0 })),
      eventsAtOnce,
    ).catch((error: unknown) => {
      for (const reader of asked.flat()) if (reader.stream.isOpen) this.#due.add(reader);
      throw error;
    });
    for (const [i, readers] of asked.entries()) this.#sendTo(readers, found[i] ?? []);
  }

  #sendTo(readers: readonly Reader[], events: readonly AccountEvent[]): void {
    const last = events.at(-1)?.seq;
    if (last === undefined) return;
    const sent = events.flatMap(toSend);
    for (const reader of readers) {
      for (const { type, bytes } of sent) if (reader.types?.has(type) !== false) reader.stream.write(bytes);
      reader.position = last;
      if (!reader.stream.isOpen || (events.length < eventsAtOnce && !reader.stream.isBehind)) continue;
      // More events exist or will come. A slow client gets them once it has taken these; until then they stay in the
      // database.
      void this.#goOnWhenDrained(reader);
    }
  }

  async #goOnWhenDrained(reader: Reader): Promise<void> {
    reader.isBehind = true;
    await reader.stream.drained();
    reader.isBehind = false;
    if (reader.stream.isOpen) this.#makeDue([reader]);
  }
}

function toSend(event: AccountEvent): Sent[] {
  const data = eventText(event);
  return data === undefined
    ? []
    : [{ type: event.type, bytes: eventBytes({ event: event.type, id: event.id, data }) }];
}
