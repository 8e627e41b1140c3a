import { createHttpServer } from '@renderkit/server-kit/http/create-http-server.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance } from 'fastify';
import { pathPrefixOf } from '../own-address.ts';
import { presentProblem } from '../problems/present-problem.ts';
import { problemOfHttpError } from '../problems/problem-of-error.ts';

/** Makes an HTTP server that answers all errors, also the framework's own, as problems. It has no routes yet. */
export function createServer(
  config: { trustProxy: string[]; publicUrl: string; docsUrl: string },
  log: Logger,
): FastifyInstance {
  const app = createHttpServer({
    newRequestId: () => newId('req_'),
    trustProxy: config.trustProxy,
    pathPrefix: pathPrefixOf(config.publicUrl),
    presentError: (httpError, requestId) => {
      const problem = problemOfHttpError(httpError);
      if (problem.code === 'internal_error')
        log.error({ request_id: requestId, err: problem.cause }, 'a request failed');
      const { status, headers, text } = presentProblem(problem, { requestId, docsUrl: config.docsUrl });
      return { status, headers, body: text };
    },
  });
  leaveBodiesToRoutes(app);
  return app;
}

/** Lets each route read its body itself, when it needs the body. Without a route nobody reads the body. */
function leaveBodiesToRoutes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
}
