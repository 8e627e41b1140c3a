/** Kinds of events that webhooks tell of (docs/api.md §6). */
export const eventTypes = [
  'generation.succeeded',
  'generation.failed',
  'upload.ready',
  'upload.rejected',
  'ping',
] as const;

export type EventType = (typeof eventTypes)[number];

/** Types that an endpoint can subscribe to. A ping is sent by hand and reaches every endpoint. */
export const subscribableEventTypes = [
  'generation.succeeded',
  'generation.failed',
  'upload.ready',
  'upload.rejected',
] as const satisfies readonly EventType[];

/** When each type is sent, for whoever chooses among them. */
export const eventDescriptions = {
  'generation.succeeded':
    'A generation has finished and its outputs can be fetched; some of them may be missing.',
  'generation.failed': 'A generation has failed; its `error` says why.',
  'upload.ready': 'An upload has passed its checks and can be used.',
  'upload.rejected': 'An upload was refused; its `error` says why.',
  ping: 'A person asked for a test delivery.',
} as const satisfies Record<EventType, string>;
