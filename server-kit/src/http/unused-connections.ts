import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What was opened just now may have its request on the way. */
const requestWithinMs = 500;

/**
 * Keeps count of a server's connections, and returns what ends those that never sent a byte. Browsers open such in
 * advance; Node takes them for busy, and a server that closes would wait for as long as their clients keep them.
 */
export function watchUnused(server: Server): () => void {
  const openedAt = new Map<Socket, number>();
  server.on('connection', (socket) => {
    openedAt.set(socket, performance.now());
    socket.once('close', () => openedAt.delete(socket));
  });
  return () => {
    const latest = performance.now() - requestWithinMs;
    for (const [socket, at] of openedAt) if (socket.bytesRead === 0 && at < latest) socket.destroy();
  };
}
