import type { GenerationStatus } from '@renderkit/contract/v1/schemas/generation.ts';

/**
 * The statuses that may follow each status (docs/api.md §3). A generation goes from queued to failed if it can never
 * start: the studio refused the submit, or the generation is too old. The function move_generations makes the
 * transitions (sql/functions). The studio decides whether a stopped render with some outputs succeeds: `finishWithMade`
 * in `studio/src/renders/end-submission.ts`.
 */
const transitions = {
  queued: ['running', 'failed', 'canceled'],
  running: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
  canceled: [],
} as const satisfies Record<GenerationStatus, readonly GenerationStatus[]>;

/** Returns whether a generation may go from one status to the other. */
export function mayTransition(from: GenerationStatus, to: GenerationStatus): boolean {
  return (transitions[from] as readonly GenerationStatus[]).includes(to);
}

/** Returns whether a status never changes again. */
export function isFinal(status: GenerationStatus): boolean {
  return transitions[status].length === 0;
}
