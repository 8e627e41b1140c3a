import type { Render } from '@renderkit/contract/studio/schemas/render.ts';
import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { StudioError } from '../errors.ts';
import type { Handlers } from '../http/register-operations.ts';
import { createPollCounter, type Wakeups, watchChanges } from './watch-changes.ts';

export function changesRoutes(options: {
  database: Database;
  wakeups: Wakeups;
  clientId: string;
  stopping: AbortSignal;
  presentRender: (render: Render) => Render;
  presentUpload: (upload: StudioUpload) => StudioUpload;
}): Pick<Handlers, 'readChanges'> {
  const polls = createPollCounter();
  return {
    readChanges: async ({ body, reply }) => {
      const leave = polls.enter();
      if (leave === undefined)
        throw new StudioError('overloaded', 'Too many long polls are open.', { retryAfterSeconds: 1 });
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      try {
        const accounts = await watchChanges(options.database, options.wakeups, {
          client: options.clientId,
          watched: body.accounts,
          waitMs: body.wait_seconds * 1000,
          signal: AbortSignal.any([gone.signal, options.stopping]),
          presentRender: options.presentRender,
          presentUpload: options.presentUpload,
        });
        return { accounts };
      } finally {
        leave();
      }
    },
  };
}
