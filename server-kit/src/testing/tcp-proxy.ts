import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type TcpProxy = AsyncDisposable & {
  /** The address of the target, by way of the proxy. */
  url: string;
  /** Cuts every connection and takes no new one, until `mend`. */
  cut: () => void;
  mend: () => void;
};

/** Stands before a database (or any server) and can be cut. */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const [host, port] = [decodeURIComponent(target.hostname), Number(target.port || 5432)];
  // PostgreSQL's own addresses may name the directory of its socket.
  const far = () => (host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host));
  const sockets = new Set<Socket>();
  let whole = true;
  const server = createServer((near) => {
    if (!whole) return near.destroy();
    const there = far();
    for (const [one, other] of [
      [near, there],
      [there, near],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => other.destroy())
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
    return undefined;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  target.hostname = '127.0.0.1';
  target.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    whole = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: target.href,
    cut,
    mend: () => {
      whole = true;
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
