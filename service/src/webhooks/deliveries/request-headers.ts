import type { EventType } from '@renderkit/contract/v1/event-types.ts';
import { deliveryHeaders, deliveryUserAgent } from '@renderkit/contract/v1/headers.ts';

/** What stands in the place of a signature where a delivery is shown: each attempt makes its own. */
export const shownSignature = 't=<unix seconds>,v1=<signature>';

/** The headers of every attempt at a delivery (docs/api.md §6), in the order in which they are sent. */
export function requestHeaders(
  delivery: { id: string; eventType: EventType },
  signature: string,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': deliveryUserAgent,
    [deliveryHeaders.event]: delivery.eventType,
    [deliveryHeaders.delivery]: delivery.id,
    [deliveryHeaders.signature]: signature,
  };
}
