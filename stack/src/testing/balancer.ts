import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A balancer for equal processes: each gets a connection in turn. A process that refuses a connection is skipped. */
export type Balancer = AsyncDisposable & { port: number };

/** Starts a balancer on a loopback port of this machine, where the processes listen too. */
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
