import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What was opened or answered just now may have its next request on the way. */
const requestWithinMs = 500;

type Use = {
  /** Requests without the end of their answer. */
  underWay: number;
  /** When it was opened, or when the last of them ended. */
  freeSince: number;
};

/**
 * Keeps count of a server's connections and their requests, and returns what ends those without one while the server
 * closes. Browsers open such in advance, and a client may stop within a head: Node takes both for busy, looks at their
 * time no more once it closes, and would wait for as long as their clients keep them.
 */
export function watchUnused(server: Server): () => void {
  const uses = new Map<Socket, Use>();
  let closingSince: number | undefined;
  server.on('connection', (socket) => {
    uses.set(socket, { underWay: 0, freeSince: performance.now() });
    socket.once('close', () => uses.delete(socket));
  });
  const begin = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const use = uses.get(socket);
    if (use === undefined) return;
    use.underWay += 1;
    response.once('close', () => {
      use.underWay -= 1;
      use.freeSince = performance.now();
    });
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, begin);
  return () => {
    const now = performance.now();
    closingSince ??= now;
    for (const [socket, { underWay, freeSince }] of uses) {
      // One that sent something has its time from the closing on: before, the server's own times held for it.
      const since = socket.bytesRead === 0 ? freeSince : Math.max(freeSince, closingSince);
      if (underWay === 0 && since < now - requestWithinMs) socket.destroy();
    }
  };
}
