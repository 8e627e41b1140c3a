import type { Render } from '@renderkit/contract/studio/schemas/render.ts';
import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createLongPoll } from '../http/long-poll.ts';
import type { Handlers } from '../http/register-operations.ts';
import { type Wakeups, watchChanges } from './watch-changes.ts';

export function changesRoutes(options: {
  database: Database;
  wakeups: Wakeups;
  clientId: string;
  stopping: AbortSignal;
  presentRender: (render: Render) => Render;
  presentUpload: (upload: StudioUpload) => StudioUpload;
}): Pick<Handlers, 'readChanges'> {
  const longPoll = createLongPoll(options.stopping);
  return {
    readChanges: ({ body, reply }) =>
      longPoll(reply, async (signal) => ({
        accounts: await watchChanges(options.database, options.wakeups, {
          client: options.clientId,
          watched: body.accounts,
          waitMs: body.wait_seconds * 1000,
          signal,
          presentRender: options.presentRender,
          presentUpload: options.presentUpload,
        }),
      })),
  };
}
