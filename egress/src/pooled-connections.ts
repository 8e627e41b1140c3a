import type { Connection } from './connection.ts';

/** Free connections at most; what comes beyond is closed. */
const MAX_POOLED = 512;
/** Of one name and origin. */
const MAX_POOLED_OF_ONE = 4;
/** Milliseconds after which a connection is used no more: its address was validated that long ago. */
const MAX_AGE_MS = 60_000;

/** Whose a connection is: nobody else ever gets it. */
export interface ConnectionOwner {
  /** Given by the caller. */
  name: string;
  /** Scheme, host and port as written: never another name, though it lead to the same address. */
  origin: string;
  maxHeaderBytes: number;
}

/** Connections that wait for their next request: each goes only to whom it was opened for. */
export class PooledConnections implements AsyncDisposable {
  readonly #pooled = new Map<string, Set<Connection>>();
  #count = 0;
  #closed = false;

  /** The connection that was added last; undefined where there is none. */
  take(owner: ConnectionOwner): Connection | undefined {
    const key = keyOf(owner);
    const connections = this.#pooled.get(key);
    for (const connection of [...(connections ?? [])].toReversed()) {
      this.#remove(key, connection);
      if (connection.isFree && performance.now() - connection.madeAt < MAX_AGE_MS) return connection;
      void connection[Symbol.asyncDispose]();
    }
    return undefined;
  }

  /** False where it cannot be pooled: then the caller closes it. */
  add(owner: ConnectionOwner, connection: Connection): boolean {
    const key = keyOf(owner);
    const connections = this.#pooled.get(key) ?? new Set();
    if (this.#closed || this.#count >= MAX_POOLED || connections.size >= MAX_POOLED_OF_ONE) return false;
    if (!connection.isFree || performance.now() - connection.madeAt >= MAX_AGE_MS) return false;
    connections.add(connection);
    this.#pooled.set(key, connections);
    this.#count += 1;
    connection.onClose(() => {
      if (this.#remove(key, connection)) void connection[Symbol.asyncDispose]();
    });
    return true;
  }

  #remove(key: string, connection: Connection): boolean {
    const connections = this.#pooled.get(key);
    if (connections?.delete(connection) !== true) return false;
    this.#count -= 1;
    if (connections.size === 0) this.#pooled.delete(key);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const all = [...this.#pooled.values()].flatMap((connections) => [...connections]);
    this.#pooled.clear();
    await Promise.all(all.map((connection) => connection[Symbol.asyncDispose]()));
  }
}

function keyOf({ name, origin, maxHeaderBytes }: ConnectionOwner): string {
  return JSON.stringify([name, origin, maxHeaderBytes]);
}
