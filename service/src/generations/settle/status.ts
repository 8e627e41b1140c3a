import type { GenerationStatus } from '@renderkit/contract/v1/schemas/generation.ts';

/**
 * What may follow on each status (docs/api.md §3). From queued to failed goes what can never start: refused by the
 * studio at submit, or too old.
 */
const transitions = {
  queued: ['running', 'failed', 'canceled'],
  running: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
  canceled: [],
} as const satisfies Record<GenerationStatus, readonly GenerationStatus[]>;

/** True where a generation may go from one status to the other. */
export function mayTransition(from: GenerationStatus, to: GenerationStatus): boolean {
  return (transitions[from] as readonly GenerationStatus[]).includes(to);
}

/** True for a status that never changes again. */
export function isFinal(status: GenerationStatus): boolean {
  return transitions[status].length === 0;
}
