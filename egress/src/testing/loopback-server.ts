import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** A TCP server on loopback that counts what reaches it. */
export interface LoopbackServer extends AsyncDisposable {
  host: string;
  port: number;
  /** `http://` and the address of the server. */
  url: string;
  connections: number;
  bytes: number;
}

export interface LoopbackOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default: a port that the system chooses. */
  port?: number;
  onConnection?: (socket: Socket) => void;
  /** Called with the first bytes of each connection, usually the whole head of the request. */
  onRequest?: (head: string, socket: Socket) => void;
}

/** Starts a server that answers exactly what the test sets, valid or not. Without callbacks it only counts. */
export async function startLoopbackServer(options: LoopbackOptions = {}): Promise<LoopbackServer> {
  const { host = '127.0.0.1', port = 0, onConnection, onRequest } = options;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    running.connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => (running.bytes += chunk.length));
    socket.once('data', (chunk) => onRequest?.(chunk.toString('latin1'), socket));
    onConnection?.(socket);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const bound = portOf(server);
  const running: LoopbackServer = {
    host,
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    connections: 0,
    bytes: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return running;
}

/** Starts a server that sends the same bytes to every request and closes the connection. */
export async function startAnswering(
  answer: string | Buffer,
  options: LoopbackOptions = {},
): Promise<LoopbackServer> {
  return await startLoopbackServer({ ...options, onRequest: (_head, socket) => socket.end(answer) });
}

/** Returns the port that a TCP server listens on. */
export function portOf(server: Server): number {
  const address = server.address();
  assert(typeof address === 'object' && address !== null, 'The server listens on a port.');
  return address.port;
}
