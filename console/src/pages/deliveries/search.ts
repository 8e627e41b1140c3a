import type { DeliveryStatus } from '@renderkit/contract/console/schemas/delivery.ts';
import { eventTypes, type EventType } from '@renderkit/contract/v1/event-types.ts';
import { choice, pageNumber, text } from '../../format/search-params.ts';

export const deliveryStatuses = [
  'pending',
  'delivered',
  'failed',
  'ended',
] as const satisfies readonly DeliveryStatus[];

export type DeliveriesSearch = {
  endpoint_id?: string;
  event_id?: string;
  event_type?: EventType;
  status?: DeliveryStatus;
  page?: number;
};

export function deliveriesSearch(search: Record<string, unknown>): DeliveriesSearch {
  return {
    endpoint_id: text(search['endpoint_id']),
    event_id: text(search['event_id']),
    event_type: choice(search['event_type'], eventTypes),
    status: choice(search['status'], deliveryStatuses),
    page: pageNumber(search['page']),
  };
}
