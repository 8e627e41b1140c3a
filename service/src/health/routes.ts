import { timingSafeEqual, createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback, nameOfHost } from '@renderkit/server-kit/http/host.ts';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { ApiProblem } from '../problems/api-problem.ts';
import type { Readiness } from './readiness.ts';

type MetricsReaders = {
  metricsToken: string | undefined;
  /** Somebody else's proxy stands in front: an address of this machine proves nothing. */
  behindProxy: boolean;
  /** Names and addresses that the service itself is reached by. */
  ownNames: readonly string[];
};

/** Health for whoever watches over the process, metrics for whoever may. */
export function addHealthRoutes(
  app: FastifyInstance,
  options: MetricsReaders & { registry: Registry; readiness: () => Promise<Readiness> },
): void {
  const noStore = { 'cache-control': 'no-store' };
  app.get('/healthz', (_request, reply) => reply.headers(noStore).send({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const readiness = await options.readiness();
    return reply
      .code(readiness.status === 'unavailable' ? 503 : 200)
      .headers(noStore)
      .send(readiness);
  });
  app.get('/metrics', async (request, reply) => {
    if (!mayRead(request.raw, options))
      throw new ApiProblem('not_found', { detail: 'There is nothing here.' });
    return reply
      .headers({ ...noStore, 'content-type': options.registry.contentType })
      .send(await options.registry.metrics());
  });
}

function mayRead(request: IncomingMessage, { metricsToken, behindProxy, ownNames }: MetricsReaders): boolean {
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
