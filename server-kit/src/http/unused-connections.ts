import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The next request of a connection that was just opened or answered may already be on its way. */
const requestWithinMs = 500;

type Use = {
  /** The number of requests whose answer has not ended. */
  underWay: number;
  /** When the connection was opened, or when its last request ended. */
  freeSince: number;
};

/**
 * Tracks a server's connections and their requests. Returns a function that, while the server closes, destroys
 * connections without a request. Browsers open connections in advance, and a client may stop inside a head. Node treats
 * both as busy, does not check their time-outs while it closes, and would wait until the client closes them.
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
      // A connection that sent something gets its time from the start of closing; before that, the server's own
      // time-outs applied.
      const since = socket.bytesRead === 0 ? freeSince : Math.max(freeSince, closingSince);
      if (underWay === 0 && since < now - requestWithinMs) socket.destroy();
    }
  };
}
