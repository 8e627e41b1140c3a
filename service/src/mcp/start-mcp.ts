import { hkdfSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { jsonBodyBytes } from '@renderkit/contract/v1/limits.ts';
import type { McpHttp } from '@renderkit/mcp/http';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Presence } from '@renderkit/server-kit/db/presence.ts';
import { httpErrorOf } from '@renderkit/server-kit/http/create-http-server.ts';
import { textLimitsOf } from '@renderkit/server-kit/http/text-limits.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FacadeCalls } from '../facades/facade-calls.ts';
import { signalOfClient } from '../http/handler.ts';
import { type Admission, type Admitted, refuseOverLimit } from '../identity/admission/admit.ts';
import { ApiProblem, type FieldError } from '../problems/api-problem.ts';
import { presentProblem } from '../problems/present-problem.ts';
import { problemOfHttpError } from '../problems/problem-of-error.ts';
import type { LargeBodies } from '../validation/large-bodies.ts';
import { readJsonBody } from '../validation/read-json-body.ts';
import { ExchangePurchases } from './exchange-purchases.ts';

export type McpOptions = {
  admission: Admission;
  database: Database;
  presence: Presence;
  largeBodies: LargeBodies;
  secretKey: Buffer;
  publicUrl: string;
  docsUrl: string;
  studioUrl: string;
  /** Links of outputs may begin with this address. */
  studioPublicUrl: string;
  log: Logger;
};

const texts = textLimitsOf({}, jsonBodyBytes);
/** Headers that may carry a key. */
const keyHeaders = ['authorization', 'x-api-key'] as const;

/**
 * Serves MCP at `/mcp` (decision 0046). The tools call `/v1` of the same process with the caller's own key, so that all
 * its rules apply. Disposing the result ends running calls. The tools are in `clients/mcp/src/tools`.
 */
export function startMcp(
  owned: Pick<AsyncDisposableStack, 'use'>,
  app: FastifyInstance,
  options: McpOptions,
): AsyncDisposable {
  const { admission, log } = options;
  const door = new McpDoor(app, options, owned.use(new FacadeCalls(options)));
  app.register((scope, _options, done) => {
    scope.addHook('onRequest', async (request, reply) => {
      request.startedAt = performance.now();
      reply.header('x-request-id', request.id).header('cache-control', 'no-store');
      // Progress is sent as a stream, which nginx would buffer.
      reply.header('x-accel-buffering', 'no');
      refuseForeignOrigin(request, options.publicUrl);
      request.admitted = await admission.admit(request.raw);
      refuseOverLimit(request.admitted, 'key');
    });
    scope.setErrorHandler((error, request, reply) => {
      const problem = problemOfHttpError(httpErrorOf(error));
      if (problem.code === 'internal_error')
        log.error({ request_id: request.id, err: problem.cause }, 'a request of MCP failed');
      sendRefusal(request, reply, { problem, docsUrl: options.docsUrl });
    });
    // Some programs end every address with a slash.
    for (const url of ['/mcp', '/mcp/'])
      scope.route({
        method: ['GET', 'POST', 'DELETE'],
        url,
        config: { operationId: 'mcp' },
        handler: (request, reply) => door.answer(request, reply),
      });
    done();
  });
  return door;
}

/** Answers admitted requests. The first request loads the library. */
class McpDoor implements AsyncDisposable {
  readonly #app: FastifyInstance;
  readonly #options: McpOptions;
  readonly #calls: FacadeCalls;
  readonly #stopping = new AbortController();
  #http: Promise<McpHttp> | undefined;

  constructor(app: FastifyInstance, options: McpOptions, calls: FacadeCalls) {
    this.#app = app;
    this.#options = options;
    this.#calls = calls;
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { account } = (request.admitted as Admitted).principal;
    const body = await this.#readBody(request, reply, account.id);
    const http = await (this.#http ??= this.#open());
    const signal = AbortSignal.any([signalOfClient(reply), this.#stopping.signal]);
    const purchases = new ExchangePurchases(this.#calls, account.id);
    try {
      const response = await http.handle({
        request: requestOf(request, this.#options.publicUrl, signal),
        body,
        credentials: credentialsOf(request),
        purchases,
        signal,
      });
      await send(response, reply);
    } catch (error) {
      // A client that disconnected, or that the stopping service disconnects, needs no answer.
      if (!signal.aborted) throw error;
      reply.hijack();
      reply.raw.destroy();
    } finally {
      const answered = !signal.aborted && reply.raw.writableFinished;
      await purchases.end(answered ? 'answered' : 'gone');
    }
  }

  async #readBody(request: FastifyRequest, reply: FastifyReply, accountId: string): Promise<unknown> {
    const errors: FieldError[] = [];
    const asked = { accountId, request: request.raw, response: reply.raw, limitBytes: jsonBodyBytes, texts };
    const { body, issues = [] } = await readJsonBody(asked, this.#options.largeBodies, errors);
    if (errors.length + issues.length > 0)
      throw new ApiProblem('invalid_request', { errors: [...errors, ...issues] });
    return body;
  }

  async #open(): Promise<McpHttp> {
    const { secretKey, studioUrl, studioPublicUrl, log } = this.#options;
    const { createMcpHttp } = await import('@renderkit/mcp/http');
    return createMcpHttp({
      baseUrl: ownAddress(this.#app),
      // Links of outputs use the public address; the service itself reaches the studio at `studioUrl`.
      fetch: (address, init) =>
        fetch(
          address.startsWith(`${studioPublicUrl}/`)
            ? studioUrl + address.slice(studioPublicUrl.length)
            : address,
          init,
        ),
      confirmationSecret: new Uint8Array(
        hkdfSync('sha256', secretKey, '', 'renderkit mcp-confirmations', 32),
      ),
      onError: (error) => log.debug({ err: error }, 'an exchange of MCP went wrong'),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await (await this.#http)?.close();
  }
}

/** Returns the address where this process listens. */
function ownAddress(app: FastifyInstance): string {
  const { address, port, family } = app.server.address() as AddressInfo;
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}

/**
 * Refuses pages of other origins. A page elsewhere must not reach a service on this machine through its own host name.
 * @throws ApiProblem forbidden
 */
function refuseForeignOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin, host } = request.raw.headers;
  if (origin === undefined || origin === new URL(publicUrl).origin) return;
  const own = URL.parse(origin);
  if (own !== null && own.host === host && loopbackName.test(own.hostname)) return;
  throw new ApiProblem('forbidden', { detail: 'Pages of other origins cannot use MCP here.' });
}

const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function credentialsOf({ raw }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    keyHeaders.flatMap((name) => {
      const value = raw.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

/** Makes a `Request` with the headers only; the body has already been read. */
function requestOf(request: FastifyRequest, publicUrl: string, signal: AbortSignal): Request {
  const headers = Object.entries(request.raw.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return new Request(`${publicUrl}/mcp`, { method: request.method, headers, signal });
}

async function send(response: Response, reply: FastifyReply): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  if (raw.destroyed) return;
  const own = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]);
  raw.writeHead(response.status, Object.fromEntries([...own, ...response.headers]));
  if (response.body === null) raw.end();
  // When the client disconnects, both sides end.
  else await pipeline(Readable.fromWeb(response.body), raw).catch(() => undefined);
  if (!raw.writableFinished && !raw.destroyed) await Promise.race([once(raw, 'finish'), once(raw, 'close')]);
}

/** Sends a refusal in the form of JSON-RPC, which clients can show. */
function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  { problem, docsUrl }: { problem: ApiProblem; docsUrl: string },
): void {
  const { status, headers, text } = presentProblem(problem, { requestId: request.id, docsUrl });
  void reply
    .code(status)
    .headers({ ...headers, 'content-type': 'application/json' })
    .send({
      jsonrpc: '2.0',
      id: null,
      error: { code: refusalCode, message: problem.message, data: JSON.parse(text) as unknown },
    });
}

/** One of the codes that JSON-RPC reserves for servers. */
const refusalCode = -32_000;
