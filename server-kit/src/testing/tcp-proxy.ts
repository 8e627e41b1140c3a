import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type TcpProxy = AsyncDisposable & {
  /** The address of the target, through the proxy. */
  url: string;
  /** Closes every connection and accepts no new one, until `mend`. */
  cut: () => void;
  mend: () => void;
  /** Holds back the target's answers until `pass`. Data to the target still arrives. */
  hold: () => void;
  pass: () => void;
};

/** Starts a proxy in front of a database (or any server). It can cut connections and hold back answers. */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const [host, port] = [decodeURIComponent(target.hostname), Number(target.port || 5432)];
  // A PostgreSQL address may contain the directory of its socket.
  const far = () => (host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host));
  const sockets = new Set<Socket>();
  const pairs = new Map<Socket, Socket>();
  let whole = true;
  let holds = false;
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
          pairs.delete(there);
          other.destroy();
        });
    }
    near.pipe(there);
    pairs.set(there, near);
    if (!holds) there.pipe(near);
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
    hold: () => {
      holds = true;
      for (const [there, near] of pairs) there.unpipe(near);
    },
    pass: () => {
      if (!holds) return;
      holds = false;
      for (const [there, near] of pairs) there.pipe(near);
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
