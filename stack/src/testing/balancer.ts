import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands before processes that do the same, one connection to each in turn; who does not take it is passed over. */
export type Balancer = AsyncDisposable & { port: number };

/** Starts it on a port of this machine's loopback, as the processes are. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };
  const lead = (near: Socket, from: number, triesLeft: number) => {
    const there = connect(ports[from % ports.length] as number, '127.0.0.1');
    keep(there);
    const passOver = () => {
      if (triesLeft > 0 && !near.destroyed) lead(near, from + 1, triesLeft - 1);
      else near.destroy();
    };
    there.once('error', passOver);
    there.once('connect', () => {
      there.off('error', passOver).on('error', () => near.destroy());
      there.on('close', () => near.destroy());
      near.on('close', () => there.destroy());
      near.pipe(there).pipe(near);
    });
  };
  const server = createServer((near) => {
    keep(near);
    near.on('error', () => near.destroy());
    lead(near, turn++, ports.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
