import type { DeliveryFailure } from '@renderkit/contract/console/schemas/delivery.ts';
import type { EgressFailureKind } from '@renderkit/egress/egress-refusal.ts';

const failureOfKind = {
  blocked: 'blocked_address',
  dns: 'dns',
  refused: 'refused',
  timeout: 'timeout',
  tls: 'tls',
  redirect: 'redirect',
  too_large: 'oversized_head',
  too_slow: 'timeout',
  protocol: 'reset',
} as const satisfies Record<Exclude<EgressFailureKind, 'aborted'>, DeliveryFailure>;

/** What a failure of the guarded fetch is called in the record of an attempt. */
export function failureOf(kind: Exclude<EgressFailureKind, 'aborted'>): DeliveryFailure {
  return failureOfKind[kind];
}
