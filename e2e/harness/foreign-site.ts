import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ForeignSite = AsyncDisposable & {
  /** Of one host with the service, but another origin: cookies of one host are sent whatever the port. */
  sameSite: string;
  /** By another name: another site. */
  crossSite: string;
  /** What it serves. */
  page: string;
};

/** Somebody else's web site on this machine. */
export async function startForeignSite(): Promise<ForeignSite> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(site.page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const site: ForeignSite = {
    sameSite: `http://127.0.0.1:${port}`,
    crossSite: `http://localhost:${port}`,
    page: '',
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return site;
}
