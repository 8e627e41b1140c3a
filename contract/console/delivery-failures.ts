/**
 * All reasons why an attempt can fail, explained for the owner of the receiver.
 * `service/src/webhooks/deliveries/attempt.ts` chooses one; the functions claim_deliveries and end_deliveries record
 * `interrupted` (service/sql/functions).
 */
export const deliveryFailures = {
  status: 'The receiver answered, and not with 2xx.',
  timeout: 'No status line came within the time.',
  refused: 'No address of the name took the connection.',
  tls: 'The receiver could not prove who it is, or speaks no TLS.',
  dns: 'The name leads nowhere.',
  redirect: 'The receiver answered with a redirect; none is followed.',
  blocked_address: 'The address, or one that its name leads to, is not public.',
  reset: 'The connection broke before a status line, or what came is no HTTP.',
  oversized_head: 'The head of the answer is beyond all measure.',
  interrupted: 'The service ended during the attempt; it is made again under the same number.',
  unsigned: "The endpoint's secret cannot be read: the fault is the service's.",
} as const;
export type DeliveryFailure = keyof typeof deliveryFailures;
export const deliveryFailureNames = Object.keys(deliveryFailures) as DeliveryFailure[];
