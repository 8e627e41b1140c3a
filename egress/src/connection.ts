import type { Socket } from 'node:net';
import { Client, type buildConnector } from 'undici';
import { EgressRefusal } from './egress-refusal.ts';

/** Milliseconds for the head of the answer, from the last byte of the request. */
const HEAD_TIMEOUT_MS = 30_000;
/** Milliseconds that a connection waits for its next request, where the other side does not say less. */
const IDLE_MS = 4_000;
const MAX_IDLE_MS = 10_000;

/** A socket that was validated, and a client that speaks HTTP over it and over no other. Disposing closes both. */
export interface Connection extends AsyncDisposable {
  readonly client: Client;
  /** When it was made, by performance.now(). */
  readonly madeAt: number;
  /** Nothing is under way on it and the other side keeps it open. */
  readonly isFree: boolean;
  /** The socket breaks when the other side sends more than this from now on. */
  limitBytes(max: number): void;
  /** Sets what is called when the socket is closed, by whomever; one at a time. */
  onClose(callback: () => void): void;
}

/** `keep`: the other side is asked to leave it open after the answer. */
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
      // First, and without an error: the client would give it one, whose stack Node reads, and a compiled program reads a
      // source map of megabytes for its first stack.
      socket.destroy();
      await client.destroy();
    },
  };
}

/**
 * Hands the client the one socket that was validated. The client asks again when that one is dead: the answer is an error,
 * else it would connect on its own account, or ask for ever.
 */
function handOver(socket: Socket, maxWireBytes: () => number): buildConnector.connector {
  return (_options, callback) => {
    // Later, not now: the client goes on by itself only when the answer comes after its call.
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

// The parser counts neither reason phrases nor chunk extensions nor leading empty lines.
function boundWire(socket: Socket, maxWireBytes: () => number): void {
  socket.on('readable', () => {
    if (socket.bytesRead <= maxWireBytes()) return;
    socket.destroy(new EgressRefusal('too_large', 'The answer has more frame than body.'));
  });
}
