import { headers } from '@renderkit/contract/v1/headers.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { idBytes } from '@renderkit/server-kit/http/event-streams.ts';
import { type Handlers, RawReply, StreamReply } from '../../http/handler.ts';
import { pageOf } from '../../http/list-page.ts';
import type { KeyStreams } from '../../identity/keys/key-streams.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { generationListText } from '../present.ts';
import type { AccountStreams } from './account-streams.ts';
import { eventText } from './present.ts';
import { listEvents, readLastPosition, readPosition } from './store.ts';

export type EventDependencies = {
  database: Database;
  accountStreams: AccountStreams;
  keyStreams: KeyStreams;
};

/** Serves the events of an account as a stream, or as a list to clients that accept JSON and no stream. */
export function eventRoutes(dependencies: EventDependencies): Pick<Handlers, 'listEvents'> {
  const { database, accountStreams, keyStreams } = dependencies;
  return {
    listEvents: async ({ principal, query, headers: sent }) => {
      const accountId = principal.account.id;
      const types = query.types?.split(',');
      const lastEventId = sent[headers.lastEventId.toLowerCase()];
      const named =
        typeof lastEventId === 'string'
          ? { field: headers.lastEventId, id: lastEventId }
          : query.after !== undefined && { field: 'after', id: query.after };
      const after = named === false ? undefined : await positionOf(database, accountId, named);
      if (wantsStream(sent.accept)) {
        const begin =
          after === undefined
            ? await readLastPosition(database, accountId)
            : { position: after, id: undefined };
        const open = keyStreams.opener(principal, (stream) => {
          // Gives a client that loses the stream before the first event a position to continue from.
          if (begin.id !== undefined) stream.write(idBytes(begin.id));
          accountStreams.add(stream, {
            accountId,
            position: begin.position,
            types: types && new Set(types),
          });
        });
        return new StreamReply(open);
      }
      const { page, limit, offset } = pageOf(query);
      const newest = await readLastPosition(database, accountId);
      const events = await listEvents(database, {
        accountId,
        after: after ?? 0,
        types,
        offset,
        limit: limit + 1,
      });
      const texts = events.slice(0, limit).flatMap((event) => eventText(event) ?? []);
      const text = generationListText(texts, { page, limit, hasMore: events.length > limit });
      return new RawReply(
        200,
        text,
        newest.id === undefined ? undefined : { [headers.newestEventId]: newest.id },
      );
    },
  };
}

/** @throws ApiProblem `invalid_request` where the account does not have such an event, or no longer has it */
async function positionOf(
  database: Database,
  accountId: string,
  { field, id }: { field: string; id: string },
): Promise<number> {
  const position = await readPosition(database, { accountId, id });
  if (position === undefined)
    throw new ApiProblem('invalid_request', {
      errors: [{ field, message: 'names no event of the last 7 days: begin anew without it' }],
    });
  return position;
}

/** Returns true unless the client accepts JSON and no event stream (RFC 9110 §12.5.1). */
function wantsStream(accept: string | undefined): boolean {
  return (
    accept === undefined || /text\/(event-stream|\*)/i.test(accept) || !/application\/(json|\*)/i.test(accept)
  );
}
