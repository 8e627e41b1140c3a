import { isoTime } from '../../iso-time.ts';
import { generationText } from '../present.ts';
import type { AccountEvent } from './store.ts';

/**
 * Returns the envelope of an event (docs/api.md §6), always as the same text. The text of webhook events is stored.
 * Other events show the generation as it was then; its record still holds all of that. Returns undefined where the
 * event's subject was erased.
 */
export function eventText(event: AccountEvent): string | undefined {
  if (event.body !== null) return event.body;
  const data = dataOf(event);
  return data === undefined
    ? undefined
    : `{"id":"${event.id}","object":"event","type":"${event.type}","created_at":"${isoTime(event.at)}","data":${data}}`;
}

function dataOf({ type, generation, namedProjectId }: AccountEvent): string | undefined {
  if (generation === undefined) return undefined;
  const unfinished = {
    ...generation,
    outputs: '[]',
    error_code: null,
    error_message: null,
    completed_at: null,
  };
  switch (type) {
    case 'generation.created':
      return generationText({
        ...unfinished,
        status: 'queued',
        project_id: namedProjectId,
        prompt_id: null,
        submitted_at: null,
      });
    case 'generation.running':
      return generationText({ ...unfinished, status: 'running' });
    case 'generation.canceled':
      return generationText(generation);
    default:
      // All other types are webhook events, and the stored event is gone.
      return undefined;
  }
}
