import type { StudioOperation } from '@renderkit/contract/studio/operation.ts';
import { type StudioOperationId, studioOperations } from '@renderkit/contract/studio/operations.ts';
import type {
  StudioAnswer,
  StudioBody,
  StudioParams,
  StudioQuery,
} from '@renderkit/contract/studio/operations.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Convert } from 'typebox/value';
import type { Bearer } from '../authentication/authenticate.ts';
import { StudioError } from '../errors.ts';
import { textsOf } from './create-server.ts';

export type Call<Id extends StudioOperationId> = {
  params: StudioParams<Id>;
  query: StudioQuery<Id>;
  body: StudioBody<Id>;
  /** The caller's account, for operations of an account; `undefined` for operations of the client. */
  bearer: (typeof studioOperations)[Id]['caller'] extends 'account' ? Bearer : undefined;
  request: FastifyRequest;
  reply: FastifyReply;
};

/** Answers the operation. Returns `undefined` when the handler has sent the reply itself. */
export type Handler<Id extends StudioOperationId> = (call: Call<Id>) => Promise<StudioAnswer<Id> | undefined>;
export type Handlers = { [Id in StudioOperationId]: Handler<Id> };

export type Authenticate = {
  /** Refuses under maintenance too. */
  account: (authorization: string | undefined) => Promise<Bearer>;
  client: (authorization: string | undefined) => void;
  /** Refuses callers without an account under maintenance. */
  notUnderMaintenance: () => Promise<void>;
};

/** Operations of the client whose handlers first look up bearers; the same statement checks for maintenance. */
const findsBearers: ReadonlySet<StudioOperationId> = new Set(['createSharedQuotes']);

/**
 * Registers every operation of the contract. A caller is authenticated before the body is read. `studio/src/routes.ts`
 * collects the handlers.
 */
export function registerOperations(
  app: FastifyInstance,
  handlers: Handlers,
  authenticate: Authenticate,
): void {
  for (const id of Object.keys(handlers) as (keyof Handlers)[]) {
    const operation: StudioOperation = studioOperations[id];
    if (findsBearers.has(id)) registerOperation(app, operation, handlers[id], authenticate, 'in its handler');
    else if (operation.bytes !== true) registerOperation(app, operation, handlers[id], authenticate);
    else
      void app.register(async (files) => {
        // The handler reads the file from the request itself.
        files.addContentTypeParser('application/octet-stream', (_request, _bytes, done) => done(null));
        registerOperation(files, operation, handlers[id], authenticate);
      });
  }
}

function registerOperation(
  app: FastifyInstance,
  operation: StudioOperation,
  // The table's types tie each handler to its own schemas, which are checked below.
  handler: (call: never) => Promise<unknown>,
  authenticate: Authenticate,
  maintenance: 'first' | 'in its handler' = 'first',
): void {
  const params = operation.params && createCheck(operation.params, 'path', true);
  const query = operation.query && createCheck(operation.query, 'query', true);
  const body = operation.body && createCheck(operation.body, 'body', false);
  const bearers = new WeakMap<FastifyRequest, Bearer>();
  const handled = new WeakSet<FastifyRequest>();
  app.route({
    method: operation.method,
    url: operation.path,
    config: { texts: textsOf(operation.body) },
    onRequest: async (request) => {
      const { authorization } = request.headers;
      if (operation.caller === 'account')
        return void bearers.set(request, await authenticate.account(authorization));
      if (maintenance === 'first') await authenticate.notUnderMaintenance();
      if (operation.caller === 'client') authenticate.client(authorization);
    },
    // A request may be refused before its handler checks for maintenance. Under maintenance, it is answered with
    // `maintenance` instead of its own error.
    ...(maintenance === 'in its handler' && {
      errorHandler: (refusal: Error, request: FastifyRequest, reply: FastifyReply) => {
        const asked = handled.has(request) ? Promise.resolve() : authenticate.notUnderMaintenance();
        void asked.then(
          () => reply.send(refusal),
          (maintenanceRefusal: unknown) => reply.send(maintenanceRefusal),
        );
      },
    }),
    handler: async (request, reply) => {
      const call = {
        params: params?.(request.params),
        query: query?.(request.query),
        body: body?.(request.body),
        bearer: bearers.get(request),
        request,
        reply,
      };
      handled.add(request);
      const answer = await handler(call as never);
      if (answer === undefined) return reply;
      // Stringified here: the answers are plain data. The service checks them against their schemas.
      return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(answer));
    },
  });
}

function createCheck(schema: TSchema, part: string, convert: boolean): (value: unknown) => unknown {
  const validator = Compile(schema);
  return (received) => {
    // The JSON parser has checked bodies already; PostgreSQL cannot store this character.
    if (convert && Object.values(received as object).some((text) => String(text).includes('\0')))
      throw new StudioError('invalid_request', `The ${part} holds U+0000.`);
    const value = convert ? Convert(schema, received) : received;
    if (validator.Check(value)) return value;
    const [first] = validator.Errors(value);
    throw new StudioError(
      'invalid_request',
      `The ${part} is not as it should be: ${first?.instancePath ?? ''} ${first?.message ?? ''}`.slice(
        0,
        500,
      ),
    );
  };
}
