import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { isLoopback, nameOfHost } from '../http/host.ts';

export type MetricsReaders = {
  /** Clients that send this bearer token may read the metrics. Without a token, only this machine may. */
  metricsToken: string | undefined;
  /** A foreign proxy forwards the requests, so a client address of this machine proves nothing. */
  behindProxy: boolean;
  /** The address that the part listens on. */
  host: string;
  /** The address for clients outside this machine; `undefined` when there is none. */
  publicUrl: string | undefined;
};

/** Adds `GET /metrics` in the text format of Prometheus. Clients that may not read it get "not found". */
export function addMetricsRoute(app: FastifyInstance, registry: Registry, readers: MetricsReaders): void {
  const ownNames = ownNamesOf(readers);
  app.get('/metrics', async (request, reply) => {
    if (!mayRead(request.raw, readers, ownNames)) {
      reply.callNotFound();
      return reply;
    }
    return reply
      .headers({ 'cache-control': 'no-store', 'content-type': registry.contentType })
      .send(await registry.metrics());
  });
}

/** Leaves out the wildcard addresses, because no client can use them as a host name. */
function ownNamesOf({ publicUrl, host }: MetricsReaders): string[] {
  const hosts = [
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).host]),
    host.includes(':') ? `[${host}]` : host,
  ];
  return hosts
    .map(nameOfHost)
    .filter((name) => name !== undefined)
    .filter((name) => name !== '0.0.0.0' && name !== '::');
}

function mayRead(
  request: IncomingMessage,
  { metricsToken, behindProxy }: MetricsReaders,
  ownNames: readonly string[],
): boolean {
  const { authorization, forwarded, 'x-forwarded-for': forwardedFor, via } = request.headers;
  if (metricsToken !== undefined) return isEqual(authorization ?? '', `Bearer ${metricsToken}`);
  if (behindProxy || forwarded !== undefined || forwardedFor !== undefined || via !== undefined) return false;
  if (!isAskedFor(request, ownNames)) return false;
  return /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '');
}

/**
 * Returns false for a request from a page of another site in a browser of this machine. A site that points its own name
 * to this machine (DNS rebinding) sends that name as the host; `Sec-Fetch-Site` reveals all other sites.
 */
function isAskedFor({ headers }: IncomingMessage, ownNames: readonly string[]): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'none' && site !== 'same-origin') return false;
  if (headers.host === undefined) return true;
  const name = nameOfHost(headers.host);
  return name !== undefined && (isLoopback(name) || ownNames.includes(name));
}

function isEqual(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
