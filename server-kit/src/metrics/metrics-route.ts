import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { isLoopback, nameOfHost } from '../http/host.ts';

export type MetricsReaders = {
  /** Whoever sends it as a bearer token may read; without one only this machine may. */
  metricsToken: string | undefined;
  /** Somebody else's proxy stands in front: an address of this machine proves nothing. */
  behindProxy: boolean;
  /** The address that the part listens on. */
  host: string;
  /** What it is reached by from outside; undefined where it is not. */
  publicUrl: string | undefined;
};

/** `GET /metrics` in the text format of Prometheus; not found for whoever may not read it. */
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

/** Without the wildcard addresses, which nobody is reached by. */
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
 * Not a page of another site in a browser of this machine: one that has its own name lead here (DNS rebinding) asks by that
 * name, and Sec-Fetch-Site shows any other.
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
