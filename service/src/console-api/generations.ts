import type { GenerationRow, GenerationDetail } from '@renderkit/contract/console/schemas/generation.ts';
import { maxWebhookEndpoints } from '@renderkit/contract/v1/limits.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { generationText } from '../generations/present.ts';
import { listRows, showGeneration } from '../generations/reads/list-console-rows.ts';
import type { KeyedRow } from '../generations/reads/rows.ts';
import { pathOfKind, requestBodyOf } from '../generations/reads/request-body.ts';
import { pageOf } from '../http/list-page.ts';
import { utcMoment } from '../iso-time.ts';
import { listDeliveries } from '../webhooks/deliveries/list-deliveries.ts';
import { findEventOf } from '../webhooks/events/queries.ts';
import type { ConsoleHandlers } from './console-handler.ts';

/** Shows a person's generations, made with any key or in the console. */
export function generationHandlers(deps: {
  database: Database;
}): Pick<ConsoleHandlers, 'listGenerationRows' | 'getGenerationDetail'> {
  const { database } = deps;

  const eventOf = async (accountId: string, subjectId: string): Promise<GenerationDetail['event']> => {
    const event = await findEventOf(database, { accountId, subjectId });
    if (event === undefined) return null;
    // There is one delivery for each endpoint of that time, so no more than the limit of endpoints.
    const filter = { accountId, eventId: event.id, limit: maxWebhookEndpoints };
    const deliveries = await listDeliveries(database, filter);
    return { id: event.id, type: event.type, created_at: event.createdAt, deliveries };
  };

  return {
    listGenerationRows: async ({ person, query }) => {
      const { page, limit, offset } = pageOf(query);
      const found = await listRows(database, {
        accountId: person.accountId,
        status: query.status,
        kind: query.kind,
        keyId: query.key_id,
        search: query.search,
        source: query.source,
        createdFrom: query.created_from && utcMoment(query.created_from),
        createdBefore: query.created_before && utcMoment(query.created_before),
        offset,
        limit: limit + 1,
      });
      const data = found.slice(0, limit).map(presentGenerationRow);
      return { object: 'list', data, page, limit, has_more: found.length > limit };
    },

    getGenerationDetail: async ({ person, params }) => {
      const [found, event] = await Promise.all([
        showGeneration(database, { id: params.id, accountId: person.accountId }),
        eventOf(person.accountId, params.id),
      ]);
      const { kind, metadata } = found.row;
      return {
        ...presentGenerationRow(found),
        object: 'generation_detail',
        request: {
          method: 'POST',
          path: pathOfKind(kind),
          body:
            found.request === undefined ? '{}' : JSON.stringify(requestBodyOf(kind, found.request, metadata)),
        },
        provenance: found.provenance,
        event,
      };
    },
  };
}

/** The name of the key that the console spends under. */
export const consoleKeyName = 'Console';

export function presentGenerationRow({ row, keyId, key, prompt }: KeyedRow): GenerationRow {
  return {
    object: 'generation_row',
    generation: JSON.parse(generationText(row)) as Generation,
    key: {
      id: keyId,
      name: key?.console === true ? consoleKeyName : (key?.name ?? ''),
      console: key?.console === true,
    },
    prompt,
  };
}
