import type { Connection } from './connection.ts';

/** The maximum number of free connections; further ones are closed. */
const MAX_POOLED = 512;
/** The maximum for one owner. */
const MAX_POOLED_OF_ONE = 4;
/** Milliseconds after which a connection is no longer used, because its address was validated that long ago. */
const MAX_AGE_MS = 60_000;

/** The owner of a connection, as one text. Only this owner gets the connection again. Made by `ownerOf`. */
export type ConnectionOwner = string & { readonly owner: unique symbol };

/**
 * Returns the owner for a connection. `name` comes from the caller. `origin` is scheme, host and port as written:
 * another name is another origin, even if it leads to the same address.
 */
export function ownerOf(of: { name: string; origin: string; maxHeaderBytes: number }): ConnectionOwner {
  // Neither an origin nor a number contains a space.
  return `${of.maxHeaderBytes} ${of.origin} ${of.name}` as ConnectionOwner;
}

/** Connections that wait for their next request. Each can be used only by the owner that opened it. */
export class PooledConnections implements AsyncDisposable {
  /** The connections of each owner, the newest at the end. */
  readonly #pooled = new Map<ConnectionOwner, Connection[]>();
  #count = 0;
  #closed = false;

  /** Takes the newest usable connection of the owner; `undefined` when there is none. */
  take(owner: ConnectionOwner): Connection | undefined {
    for (;;) {
      const connection = this.#pooled.get(owner)?.at(-1);
      if (connection === undefined) return undefined;
      this.#remove(owner, connection);
      if (connection.isFree && performance.now() - connection.madeAt < MAX_AGE_MS) return connection;
      void connection[Symbol.asyncDispose]();
    }
  }

  /** Adds a connection. Returns false when it cannot be pooled: then the caller must close it. */
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
