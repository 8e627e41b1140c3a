import type { Connection } from './connection.ts';

/** Free connections at most; what comes beyond is closed. */
const MAX_POOLED = 512;
/** Of one name and origin. */
const MAX_POOLED_OF_ONE = 4;
/** Milliseconds after which a connection is used no more: its address was validated that long ago. */
const MAX_AGE_MS = 60_000;

/** Whose a connection is, as one text: nobody else ever gets it. Made by `ownerOf`. */
export type ConnectionOwner = string & { readonly owner: unique symbol };

/**
 * `name`: given by the caller. `origin`: scheme, host and port as written: never another name, though it lead to the same
 * address.
 */
export function ownerOf(of: { name: string; origin: string; maxHeaderBytes: number }): ConnectionOwner {
  // Of an origin and a number no character is a space.
  return `${of.maxHeaderBytes} ${of.origin} ${of.name}` as ConnectionOwner;
}

/** Connections that wait for their next request: each goes only to whom it was opened for. */
export class PooledConnections implements AsyncDisposable {
  /** Of each owner, those added last at the end. */
  readonly #pooled = new Map<ConnectionOwner, Connection[]>();
  #count = 0;
  #closed = false;

  /** The connection that was added last; undefined where there is none. */
  take(owner: ConnectionOwner): Connection | undefined {
    for (;;) {
      const connection = this.#pooled.get(owner)?.at(-1);
      if (connection === undefined) return undefined;
      this.#remove(owner, connection);
      if (connection.isFree && performance.now() - connection.madeAt < MAX_AGE_MS) return connection;
      void connection[Symbol.asyncDispose]();
    }
  }

  /** False where it cannot be pooled: then the caller closes it. */
  add(owner: ConnectionOwner, connection: Connection): boolean {
    const connections = this.#pooled.get(owner) ?? [];
    if (this.#closed || this.#count >= MAX_POOLED || connections.length >= MAX_POOLED_OF_ONE) return false;
    if (!connection.isFree || performance.now() - connection.madeAt >= MAX_AGE_MS) return false;
    connections.push(connection);
    this.#pooled.set(owner, connections);
    this.#count += 1;
    connection.onClose(() => {
      if (this.#remove(owner, connection)) void connection[Symbol.asyncDispose]();
    });
    return true;
  }

  #remove(owner: ConnectionOwner, connection: Connection): boolean {
    const connections = this.#pooled.get(owner) ?? [];
    const at = connections.lastIndexOf(connection);
    if (at === -1) return false;
    connections.splice(at, 1);
    this.#count -= 1;
    if (connections.length === 0) this.#pooled.delete(owner);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const all = [...this.#pooled.values()].flat();
    this.#pooled.clear();
    await Promise.all(all.map((connection) => connection[Symbol.asyncDispose]()));
  }
}
