import { mustCloseUnread } from '@renderkit/server-kit/http/unread-body.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admitted } from './admission/admit.ts';
import type { RequestMetrics } from './health/request-metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, once that is known; from then on every answer carries the rate headers. */
    admitted: Admitted | undefined;
    startedAt: number;
  }
}

export type Answer = {
  status: number;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** JSON; `application/json` unless the headers say otherwise. */
  text: string;
};

export type SendAnswer = (request: FastifyRequest, reply: FastifyReply, answer: Answer) => void;

/**
 * Makes the function that writes every answer of the API, with the headers that each has: request id, rate limit once
 * it is known who asks, and `Connection: close` where the connection has to end.
 */
export function createSendAnswer(app: FastifyInstance, metrics: RequestMetrics): SendAnswer {
  app.decorateRequest('admitted', undefined);
  app.decorateRequest('startedAt', 0);
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  return (request, reply, { status, headers, text }) => {
    const { admitted, raw } = request;
    const bytes = Buffer.byteLength(text);
    const lines: string[] = ['x-request-id', request.id, 'content-length', String(bytes)];
    // What one key reads is nobody else's, and is stale the next moment.
    lines.push('cache-control', 'no-store');
    if (headers?.['content-type'] === undefined) lines.push('content-type', 'application/json');
    for (const name in headers) lines.push(name, headers[name] as string);
    // A key that was revoked while its request waited has no rate any more.
    if (admitted !== undefined && status !== 401)
      lines.push(
        'x-ratelimit-limit',
        String(admitted.limit),
        'x-ratelimit-remaining',
        String(Math.max(0, admitted.limit - admitted.number)),
      );
    if ((mustCloseUnread(raw) || closing) && headers?.['connection'] === undefined)
      lines.push('connection', 'close');
    // Past the framework, which would add a charset that the media types do not have, and time.
    reply.hijack();
    // A text of as many bytes as characters is ASCII and needs no encoding.
    if (!reply.raw.destroyed)
      reply.raw.writeHead(status, lines).end(text, bytes === text.length ? 'latin1' : 'utf8');
    metrics.observe(request.routeOptions.config.operationId, status, performance.now() - request.startedAt);
  };
}
