import type { EgressFailureKind } from '@renderkit/server-kit/egress/egress-refusal.ts';

/** Every way in which an attempt can be no success, as it is recorded. */
export const deliveryFailures = [
  /** The receiver answered, and not with 2xx. */
  'status',
  /** No status line came within the time. */
  'timeout',
  /** No address of the name took the connection. */
  'refused',
  'tls',
  'dns',
  /** A 3xx answer; it is not followed. */
  'redirect',
  /** The URL, or an address that its name leads to, is not public. */
  'blocked_address',
  /** The connection broke before a status line, or what came is no HTTP. */
  'reset',
  /** The head of the answer is beyond all measure. */
  'oversized_head',
  /** The service ended during the attempt; it is made again under the same number. */
  'interrupted',
  /** The endpoint's secret cannot be read: the fault is ours. */
  'unsigned',
] as const;

export type DeliveryFailure = (typeof deliveryFailures)[number];

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
