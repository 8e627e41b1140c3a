import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { freeBytes } from './byte-buffer.ts';

const exempt = new WeakSet<Socket>();

/**
 * Exempts this request from the server's time limit for receiving a whole request, until disposed. The route must check
 * the pace of the body itself.
 */
export function exemptFromRequestTimeout({ socket }: IncomingMessage): Disposable {
  exempt.add(socket);
  return { [Symbol.dispose]: () => void exempt.delete(socket) };
}

export function isExemptFromRequestTimeout(socket: Socket): boolean {
  return exempt.has(socket);
}

const sending = new WeakSet<IncomingMessage>();

/** Sends "100 Continue" once to a client that waits for it before sending its body. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect === undefined || sending.has(request)) return;
  sending.add(request);
  response.writeContinue();
}

// A client may have sent the body together with the headers. Draining this much is cheaper than opening a new
// connection.
const drainedBytes = 64 * 1024;
// Long enough for a client to read the answer before the connection is gone.
const lingerMs = 300;

const drained = new WeakSet<IncomingMessage>();

/**
 * Reads and discards the rest of a body with a known length. Otherwise a client that sends the whole body before it
 * reads would not see the answer. The caller must check that the length is acceptable.
 */
export function drainBody(request: IncomingMessage): void {
  if (request.headers['content-length'] === undefined) return;
  drained.add(request);
  // Reads one piece in each turn of the event loop, so that a fast client does not block other requests.
  request.on('data', (chunk: Buffer) => {
    freeBytes(chunk);
    request.pause();
    setImmediate(() => request.resume());
  });
  request.resume();
}

/**
 * Prepares the answer to a request whose body nobody read. Node drains a small body. For a large or endless body the
 * connection must end after the answer, and no further byte is read.
 * @returns true when the answer must contain `Connection: close`
 */
export function mustCloseUnread(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) return false;
  if (drained.has(request)) return false;
  if (request.readableEnded || (encoding === undefined && Number(length) <= drainedBytes)) return false;
  const socket = request.socket as Socket & { destroySoon: () => void };
  // Node would continue reading while the answer is sent, and then reset the connection of a client that still sends.
  // Because of the reset the client may lose the answer.
  socket.destroySoon = () => closeSoon(socket);
  return true;
}

/** Ends our side now and destroys the connection a little later. Reads nothing meanwhile. */
export function closeSoon(socket: Socket): void {
  socket.end();
  // Pauses only after Node has begun to drain the request, which would resume the socket.
  setImmediate(() => socket.pause());
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/**
 * Any body may arrive in `freePieces` pieces. Further pieces must have `minBytesOfPiece` bytes on average, which is
 * less than the smallest packets contain.
 */
const freePieces = 2_000;
const minBytesOfPiece = 256;

/**
 * Counts the pieces of a body. Each piece is an event: a body in chunks of one byte would keep the process busy a
 * thousand times longer than another body of the same size.
 */
export class ChunkCounter {
  #pieces = 0;
  #bytes = 0;

  /** Adds a piece. Returns false once there are too many pieces for the size of the body. */
  add(bytes: number): boolean {
    this.#bytes += bytes;
    return ++this.#pieces <= freePieces + this.#bytes / minBytesOfPiece;
  }
}
