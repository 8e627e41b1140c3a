import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Marks a socket whose request may take longer than others; the server's limit of time looks for it. */
const mark = Symbol('takes its time');

/** A large file has a pace to keep instead of the time that every other request has; until disposed. */
export function takesItsTime({ socket }: IncomingMessage): Disposable {
  Object.assign(socket, { [mark]: true });
  return { [Symbol.dispose]: () => void Object.assign(socket, { [mark]: false }) };
}

export function mayTakeItsTime(socket: Socket): boolean {
  return (socket as Socket & { [mark]?: boolean })[mark] === true;
}
