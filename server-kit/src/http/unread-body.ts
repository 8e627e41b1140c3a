import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

// What has been sent along with the headers anyway is cheaper to drain than a new connection to open.
const drainedBytes = 64 * 1024;
// Long enough for a client to read the answer before the connection is gone.
const lingerMs = 300;

const passedOver = new WeakSet<IncomingMessage>();

/**
 * Reads what is left of a body whose length is known, and forgets it: a client that sends all of it before it reads would
 * not see its answer otherwise. To be called where that length is bearable.
 */
export function passOver(request: IncomingMessage): void {
  if (request.headers['content-length'] === undefined) return;
  passedOver.add(request);
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
  if (passedOver.has(request)) return false;
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
