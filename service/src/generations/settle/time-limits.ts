import { maxQueuedHours } from '@renderkit/contract/v1/limits.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';

const hourMs = 3_600_000;

/** How long a job may wait in the queue. `give-up-queued.ts` fails the generations that waited longer. */
export const maxQueuedMs = maxQueuedHours * hourMs;

/**
 * How long a job may run before it fails if the studio does not know it. `isOverdue` in
 * `service/src/generations/follow/reconcile.ts` applies it.
 */
export const maxRunningMs = {
  image: hourMs,
  image_edit: hourMs,
  video: 6 * hourMs,
  video_extend: 6 * hourMs,
} as const satisfies Record<GenerationKind, number>;
