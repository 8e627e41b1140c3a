/**
 * Types of events that webhooks report (docs/api.md §6). The functions move_generations and write_event write the
 * events (service/sql/functions).
 */
export const eventTypes = [
  'generation.succeeded',
  'generation.failed',
  'upload.ready',
  'upload.rejected',
  'ping',
] as const;

export type EventType = (typeof eventTypes)[number];

/** Types that an endpoint can subscribe to. A person sends a ping by hand; it reaches every endpoint. */
export const subscribableEventTypes = [
  'generation.succeeded',
  'generation.failed',
  'upload.ready',
  'upload.rejected',
] as const satisfies readonly EventType[];

/**
 * Types that only the stream of an account reports, in addition to `subscribableEventTypes` (docs/api.md §6). No
 * webhook gets them.
 */
export const streamOnlyEventTypes = [
  'generation.created',
  'generation.running',
  'generation.canceled',
] as const;

/** All types that the stream of an account reports. */
export const streamEventTypes = [...streamOnlyEventTypes, ...subscribableEventTypes] as const;

export type StreamEventType = (typeof streamEventTypes)[number];

/** When each type is sent, for people who choose among them. */
export const eventDescriptions = {
  'generation.succeeded':
    'A generation has finished and its outputs can be fetched; some of them may be missing.',
  'generation.failed': 'A generation has failed; its `error` says why.',
  'upload.ready': 'An upload has passed its checks and can be used.',
  'upload.rejected': 'An upload was refused; its `error` says why.',
  ping: 'A person asked for a test delivery.',
} as const satisfies Record<EventType, string>;

/** When each type is sent that only streams report. */
export const streamOnlyEventDescriptions = {
  'generation.created': 'A generation was accepted and waits.',
  'generation.running': 'The studio has taken a generation.',
  'generation.canceled': 'A generation was canceled while it waited.',
} as const satisfies Record<(typeof streamOnlyEventTypes)[number], string>;
