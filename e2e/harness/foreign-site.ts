import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ForeignSite = AsyncDisposable & {
  /** The address with the service's host but another origin: cookies of a host are sent to all its ports. */
  sameSite: string;
  /** The address with another host name: another site. */
  crossSite: string;
  /** The HTML that it serves. */
  page: string;
};

/** Starts a foreign web site on this machine. */
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
