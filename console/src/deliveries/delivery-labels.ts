import { deliveryFailures, type DeliveryFailure } from '@renderkit/contract/console/delivery-failures.ts';
import { parseJson } from '../format/json.ts';

/**
 * Short labels for why an attempt got no accepted response. `service/src/webhooks/deliveries/attempt.ts` decides which
 * failure it is.
 */
const failureLabels: Record<DeliveryFailure, string> = {
  status: 'Refused',
  timeout: 'No answer in time',
  refused: 'No connection',
  tls: 'No valid certificate',
  dns: 'Unknown name',
  redirect: 'A redirect',
  blocked_address: 'Not a public address',
  reset: 'Connection broke',
  oversized_head: 'Answer too large',
  interrupted: 'Interrupted',
  unsigned: 'Could not be signed',
};

/** Returns the outcome of an attempt in a few words, for tables: `200`, `503`, `Unknown name`. */
export function outcomeLabel(status: number | null, failure: DeliveryFailure | null): string {
  if (status !== null) return String(status);
  return failure === null ? '—' : failureLabels[failure];
}

/** Returns the outcome of an attempt as a sentence. */
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

/** Returns the id of the generation or upload that an event is about. `undefined` for a test. */
export function subjectOf(body: string): string | undefined {
  const event = parseJson(body) as { data?: { id?: unknown } } | null | undefined;
  const id = event?.data?.id;
  return typeof id === 'string' ? id : undefined;
}
