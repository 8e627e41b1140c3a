import type { Socket } from 'node:net';
import { Client, type buildConnector } from 'undici';
import { EgressRefusal } from './egress-refusal.ts';

/** Milliseconds to receive the head of the answer, after the last byte of the request. */
const HEAD_TIMEOUT_MS = 30_000;
/** Milliseconds that a connection waits for its next request, unless the other side announces less. */
const IDLE_MS = 4_000;
const MAX_IDLE_MS = 10_000;

/** A validated socket, and an HTTP client that uses only this socket. Disposing closes both. */
export interface Connection extends AsyncDisposable {
  readonly client: Client;
  /** When the connection was made, on the clock of performance.now(). */
  readonly madeAt: number;
  /** True when no request is running and the other side keeps the connection open. */
  readonly isFree: boolean;
  /** Destroys the socket when the other side sends more than this from now on. */
  limitBytes(max: number): void;
  /** Sets the callback for the close of the socket, on either side. Replaces an earlier callback. */
  onClose(callback: () => void): void;
}

/** @param keep when true, the request asks the other side to keep the connection open after the answer */
export function connectionOver(
  socket: Socket,
  { origin, maxHeaderBytes, keep }: { origin: string; maxHeaderBytes: number; keep: boolean },
): Connection {
  let maxWireBytes = Number.POSITIVE_INFINITY;
  let closed = () => {};
  socket.once('close', () => closed());
  const client = new Client(origin, {
    connect: handOver(socket, () => maxWireBytes),
    pipelining: keep ? 1 : 0,
    allowH2: false,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: HEAD_TIMEOUT_MS,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: MAX_IDLE_MS,
  });
  return {
    client,
    madeAt: performance.now(),
    get isFree() {
      const { connected, running, pending } = client.stats;
      return !socket.destroyed && connected && running === 0 && pending === 0;
    },
    limitBytes: (max) => void (maxWireBytes = socket.bytesRead + max),
    onClose: (callback) => void (closed = callback),
    [Symbol.asyncDispose]: async () => {
      // Destroys the socket first, and without an error. The client would create an error and Node would read its
      // stack; for its first stack, a compiled program reads a source map of megabytes.
      socket.destroy();
      await client.destroy();
    },
  };
}

/**
 * Gives the client the one validated socket. When this socket is dead, the client asks again and gets an error.
 * Otherwise it would open a connection itself, or ask forever.
 */
function handOver(socket: Socket, maxWireBytes: () => number): buildConnector.connector {
  return (_options, callback) => {
    // Answers later, not now: the client continues by itself only when the answer comes after its call returned.
    queueMicrotask(() => {
      if (socket.destroyed) {
        callback(new EgressRefusal('protocol', 'The connection closed before the request was sent.'), null);
        return;
      }
      callback(null, socket);
      boundWire(socket, maxWireBytes);
    });
  };
}

// The parser does not count reason phrases, chunk extensions and leading empty lines.
function boundWire(socket: Socket, maxWireBytes: () => number): void {
  socket.on('readable', () => {
    if (socket.bytesRead <= maxWireBytes()) return;
    socket.destroy(new EgressRefusal('too_large', 'The answer has more frame than body.'));
  });
}
