import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Presence } from '@renderkit/server-kit/db/presence.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance } from 'fastify';
import type { CatalogCache } from '../catalog/catalog-cache.ts';
import type { Generations } from '../generations/background.ts';
import type { Admission } from '../identity/admission/admit.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { translated } from '../studio-client/translate-error.ts';
import { fileIssue, refusedFile } from '../uploads/file-issues.ts';
import type { DeleteUpload } from '../uploads/delete-upload.ts';
import type { SendFile } from '../uploads/send-file.ts';
import type { LargeBodies } from '../validation/large-bodies.ts';
import { addA1111Routes } from './a1111/routes.ts';
import { FacadeCalls } from './facade-calls.ts';
import type { FacadeName } from './facade-names.ts';
import { createFacadeScope } from './facade-scope.ts';
import type { Heartbeat } from './kept-alive-answer.ts';
import { OutputMaker } from './make-outputs.ts';
import { addOpenAiRoutes } from './openai/routes.ts';
import { OutputMedia } from './output-media.ts';
import { createReadRequest, type StoreFile } from './read-request.ts';

export type FacadesOptions = {
  names: readonly FacadeName[];
  admission: Admission;
  database: Database;
  presence: Presence;
  catalogCache: CatalogCache;
  studioClient: Pick<StudioClient, 'call'>;
  generations: Generations;
  sendFile: SendFile;
  deleteUpload: DeleteUpload;
  largeBodies: LargeBodies;
  studioUrl: string;
  publicUrl: string;
  /** Seconds for which an exchange waits for its outputs. */
  holdSeconds: number;
  heartbeat: Heartbeat;
  log: Logger;
};

/**
 * Starts the facades for programs that already use another API (decision 0038). Such a program only needs a changed
 * address, and its requests become creates of `/v1`.
 */
export function startFacades(
  owned: Pick<AsyncDisposableStack, 'use'>,
  app: FastifyInstance,
  options: FacadesOptions,
): void {
  const { generations, log } = options;
  const media = owned.use(new OutputMedia(options));
  media.addRoute(app);
  if (options.names.length === 0) return;
  const calls = owned.use(new FacadeCalls(options));
  const maker = owned.use(new OutputMaker({ ...generations, calls, holdSeconds: options.holdSeconds, log }));
  const storeFile = createStoreFile(options.sendFile);
  const readRequest = createReadRequest({ largeBodies: options.largeBodies, storeFile });
  const openScope = createFacadeScope(options);
  const { live, longPolls, canceling } = generations;
  const shared = { ...options, live, longPolls, canceling, calls, maker, media, readRequest, storeFile };
  if (options.names.includes('openai')) addOpenAiRoutes(app, openScope, shared);
  if (options.names.includes('a1111')) addA1111Routes(app, openScope, shared);
}

function createStoreFile(sendFile: SendFile): StoreFile {
  return async ({ accountId, id, field, fileName, bytes, maskOfAlpha }) => {
    const sent = await translated(
      sendFile({ accountId, id, hidden: false, fileName, projectId: undefined, maskOfAlpha, body: bytes }),
    );
    if (sent.outcome === 'refused') throw refusedFile(sent);
    if (sent.outcome === 'unusable')
      throw new ApiProblem('invalid_request', { errors: [{ field, message: fileIssue(sent.reason) }] });
  };
}
