import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { freeBytes } from './byte-buffer.ts';

const exempt = new WeakSet<Socket>();

/**
 * The body of this request has a pace of its own that its route watches over: the server's time for receiving a whole
 * request does not hold for it, until disposed.
 */
export function exemptFromRequestTimeout({ socket }: IncomingMessage): Disposable {
  exempt.add(socket);
  return { [Symbol.dispose]: () => void exempt.delete(socket) };
}

export function isExemptFromRequestTimeout(socket: Socket): boolean {
  return exempt.has(socket);
}

const sending = new WeakSet<IncomingMessage>();

/** Tells a client that waits for it to send its body ("100 Continue"), once. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect === undefined || sending.has(request)) return;
  sending.add(request);
  response.writeContinue();
}

// What has been sent along with the headers anyway is cheaper to drain than a new connection to open.
const drainedBytes = 64 * 1024;
// Long enough for a client to read the answer before the connection is gone.
const lingerMs = 300;

const drained = new WeakSet<IncomingMessage>();

/**
 * Reads what is left of a body whose length is known, and forgets it: a client that sends all of it before it reads would
 * not see its answer otherwise. To be called where that length is bearable.
 */
export function drainBody(request: IncomingMessage): void {
  if (request.headers['content-length'] === undefined) return;
  drained.add(request);
  // One piece of it in each turn: whoever sends it as fast as it goes must not hold up others once more.
  request.on('data', (chunk: Buffer) => {
    freeBytes(chunk);
    request.pause();
    setImmediate(() => request.resume());
  });
  request.resume();
}

/**
 * To be called when a request is answered whose body nobody read. A small body is drained by Node; for a large or
 * endless one the connection has to end after the answer, and not a byte more is read.
 * @returns true where the answer must say `Connection: close`
 */
export function mustCloseUnread(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) return false;
  if (drained.has(request)) return false;
  if (request.readableEnded || (encoding === undefined && Number(length) <= drainedBytes)) return false;
  const socket = request.socket as Socket & { destroySoon: () => void };
  // Node would read on while the answer is sent, and then cut off a client that is still sending: a reset may
  // cost it the answer.
  socket.destroySoon = () => closeSoon(socket);
  return true;
}

/** Ends our side now and the connection a little later, reading nothing meanwhile. */
export function closeSoon(socket: Socket): void {
  socket.end();
  // Not before Node has begun to drain the request, which would resume the socket.
  setImmediate(() => socket.pause());
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** Pieces that any body may come in, and how large those beyond must be on average: less than the smallest packets bring. */
const freePieces = 2_000;
const minBytesOfPiece = 256;

/**
 * Counts the pieces that a body comes in. Each is an event: a body of chunks of one byte would keep the process busy for
 * a thousand times as long as another of its size.
 */
export class ChunkCounter {
  #pieces = 0;
  #bytes = 0;

  /** False once there are too many for their size. */
  add(bytes: number): boolean {
    this.#bytes += bytes;
    return ++this.#pieces <= freePieces + this.#bytes / minBytesOfPiece;
  }
}
