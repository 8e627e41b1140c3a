import { deliveryFailures, type DeliveryFailure } from '@renderkit/contract/console/delivery-failures.ts';

/** In few words, for tables: `200`, `503`, `timeout`. */
export function shortOutcome(status: number | null, failure: DeliveryFailure | null): string {
  if (status !== null) return String(status);
  return failure === null ? '—' : failure.replaceAll('_', ' ');
}

/** A sentence about how an attempt ended. */
export function outcomeSentence(status: number | null, failure: DeliveryFailure | null): string {
  if (failure !== null && failure !== 'status') {
    const answered = status === null ? '' : ` (status ${status})`;
    return `${deliveryFailures[failure].replace(/\.$/, '')}${answered}.`;
  }
  if (status === null) return 'No answer yet.';
  return status >= 200 && status < 300
    ? `The receiver answered ${status}.`
    : `The receiver answered ${status}; anything but 2xx is sent again.`;
}

/** JSON set out in lines; what is no JSON as it came. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The id of what an event is about: a generation, an upload; undefined of a test. */
export function subjectOf(body: string): string | undefined {
  try {
    const { data } = JSON.parse(body) as { data?: { id?: unknown } };
    return typeof data?.id === 'string' ? data.id : undefined;
  } catch {
    return undefined;
  }
}

/** `45 ms`, `1.2 s`. */
export function durationText(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}
