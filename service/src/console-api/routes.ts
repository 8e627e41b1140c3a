import type { IncomingMessage } from 'node:http';
import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { accountHeader } from '@renderkit/contract/console/headers.ts';
import type { ConsoleOperation } from '@renderkit/contract/console/operation.ts';
import {
  type ConsoleOperationId,
  consoleOperationIds,
  consoleOperations,
} from '@renderkit/contract/console/operations.ts';
import { DownloadQuery } from '@renderkit/contract/console/schemas/library.ts';
import { jsonBodyBytes } from '@renderkit/contract/v1/limits.ts';
import { type Pace, pacedBody } from '@renderkit/server-kit/http/paced-body.ts';
import { exemptFromRequestTimeout, sendContinue } from '@renderkit/server-kit/http/request-body.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DownloadDependencies, downloadItems } from '../downloads/download-items.ts';
import { type Handlers, signalOfClient } from '../http/handler.ts';
import { addOperations, addRoute, prepareScope, type Serving } from '../http/serve-operations.ts';
import { refuseOverLimit } from '../identity/admission/admit.ts';
import {
  type AdmittedSession,
  nobodySignedIn,
  type SessionAdmission,
} from '../identity/sessions/admit-session.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { unknownRoute } from '../problems/unknown-route.ts';
import type { ValidRequest } from '../validation/validate-request.ts';
import type { ConsoleHandlers } from './console-handler.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

const prefix = '/console/api';
// A little stricter than the studio's limit, so that the client gets our error.
const filePace: Pace = { minBytesPerSecond: 64 * 1024, windowMs: 10_000 };

export type ConsoleDependencies = {
  sessions: SessionAdmission;
  /** The origin of the public address. Requests that change something must come from it. */
  ownOrigin: string;
  handlers: ConsoleHandlers;
  /** What the download route needs to save a person's items as files. */
  downloads: DownloadDependencies;
  /** The handlers of the HTTP API, which a signed-in person may use too. */
  apiHandlers: Handlers;
  serving: Serving;
};

/**
 * Adds the routes of the console's API, and all of /v1 below it. The checks run in this order, and the first failure is
 * the answer. Before a byte of the body is read: whether the request carries a session; whether another site sent it;
 * whether the session is valid; whether the page shows the same account; the rate limit; whether the route exists. Then
 * the form of query and body. API keys are ignored.
 */
export function addConsoleApi(app: FastifyInstance, dependencies: ConsoleDependencies): void {
  const { sessions, serving } = dependencies;
  app.register(
    (api, _options, done) => {
      prepareScope(api, serving);
      api.addHook('onRequest', async (request) => {
        request.startedAt = performance.now();
        if (!sessions.carriesSession(request.raw)) throw nobodySignedIn();
        refuseForeign(request.raw, dependencies.ownOrigin);
        const admitted = await sessions.admit(request.raw);
        request.admitted = admitted;
        refuseOtherAccount(request.raw, admitted.person.accountId);
        refuseOverLimit(admitted, 'session');
        if (request.is404) throw unknownRoute(request);
      });
      // Without this route the console's pages would answer unknown paths.
      api.all('/*', (request) => {
        throw unknownRoute(request);
      });
      // For methods that the framework has no routes for.
      api.setNotFoundHandler((request, reply) => void reply.send(unknownRoute(request)));
      for (const id of consoleOperationIds) addConsoleOperation(api, dependencies, id);
      addDownload(api, dependencies);
      api.register(
        (v1, _v1Options, v1Done) => {
          addOperations(v1, serving, dependencies.apiHandlers);
          v1Done();
        },
        { prefix: '/v1' },
      );
      done();
    },
    { prefix },
  );
}

function addConsoleOperation(
  api: FastifyInstance,
  { handlers, serving }: ConsoleDependencies,
  id: ConsoleOperationId,
): void {
  // The types of the table connect each handler with the requests that its own schemas accept.
  const handle = handlers[id] as (request: object) => Promise<unknown>;
  const operation: ConsoleOperation = consoleOperations[id];
  addRoute(api, serving, {
    operationId: id,
    method: operation.method,
    url: operation.path.slice(prefix.length),
    validated: { idempotent: false, request: { bodyLimitBytes: jsonBodyBytes, ...operation.request } },
    status: operation.response.status,
    handle: (request, reply, valid) => handle(contextOf(request, reply, valid, serving)),
  });
}

/**
 * Adds the route for downloads. It answers with a file and not with JSON, so it is not part of the table of operations.
 */
function addDownload(api: FastifyInstance, { downloads, serving }: ConsoleDependencies): void {
  addRoute(api, serving, {
    operationId: 'downloadItems',
    method: 'GET',
    url: consoleAddresses.download.slice(prefix.length),
    validated: { idempotent: false, request: { query: DownloadQuery, bodyLimitBytes: jsonBodyBytes } },
    status: 200,
    handle: (request, _reply, { query }) => {
      const { person } = request.admitted as AdmittedSession;
      return downloadItems(downloads, { accountId: person.accountId, ids: String(query['ids']) });
    },
  });
}

function contextOf(request: FastifyRequest, reply: FastifyReply, valid: ValidRequest, { log }: Serving) {
  const { person, principal } = request.admitted as AdmittedSession;
  let gone: AbortSignal | undefined;
  return {
    params: valid.params,
    query: valid.query,
    body: valid.body,
    person,
    principal,
    requestId: request.id,
    log,
    contentLength: Number(request.headers['content-length'] ?? Number.NaN) || undefined,
    bytes: () => openBody(request, reply),
    get signal() {
      return (gone ??= signalOfClient(reply));
    },
  };
}

/** The upload of a file may take any time while it keeps its minimum pace. */
function openBody(request: FastifyRequest, reply: FastifyReply): AsyncIterable<Uint8Array> {
  const exempt = exemptFromRequestTimeout(request.raw);
  reply.raw.once('close', () => exempt[Symbol.dispose]());
  sendContinue(request.raw, reply.raw);
  return pacedBody(request.raw, filePace);
}

/**
 * Refuses a request that the page of another site may have sent. A request that changes something must come from our
 * own origin. Sec-Fetch-Site, which no script can set, must show this. When a browser does not send Sec-Fetch-Site,
 * Origin must be exactly ours.
 * @throws ApiProblem `forbidden`
 */
export function refuseForeign(request: IncomingMessage, ownOrigin: string): void {
  if (safeMethods.has(request.method ?? '')) return;
  const { 'sec-fetch-site': site, origin } = request.headers;
  // `none`: the person typed the address, and no page caused the request.
  const own = site === undefined ? origin === ownOrigin : site === 'same-origin' || site === 'none';
  if (!own)
    throw new ApiProblem('forbidden', {
      detail: 'Changes are taken from the console alone, and this request came from elsewhere.',
    });
}

/**
 * Refuses a request from a page that shows another account. All tabs of a browser share one cookie. When another
 * account signs in, an older page would act for the new account and be charged to it. Links and pictures carry no
 * header, so they are not checked.
 * @throws ApiProblem `other_account`
 */
function refuseOtherAccount(request: IncomingMessage, accountId: string): void {
  const shown = request.headers[accountHeader];
  if (shown !== undefined && shown !== accountId)
    throw new ApiProblem('other_account', {
      detail: 'Another account has signed in in this browser. Nothing was done: load the page anew.',
    });
}
