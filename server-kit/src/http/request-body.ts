import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const ownPace = new WeakSet<Socket>();

/**
 * The body of this request has a pace of its own that its route watches over: the server's time for receiving a whole
 * request does not hold for it, until disposed.
 */
export function keepOwnPace({ socket }: IncomingMessage): Disposable {
  ownPace.add(socket);
  return { [Symbol.dispose]: () => void ownPace.delete(socket) };
}

export function keepsOwnPace(socket: Socket): boolean {
  return ownPace.has(socket);
}
