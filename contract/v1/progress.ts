/**
 * The progress of a generation: closed lists of words, each with a sentence for people (docs/api.md §2). This file
 * contains no schema, so that pages can import it. `service/src/generations/live/present.ts` chooses the stage and the
 * reason, for running generations by the report of the studio (`studio/src/progress/watch-progress.ts`).
 */
export const progressStages = {
  queued: 'It waits for its turn.',
  checking: 'Files that it names are being checked.',
  submitting: 'It is being handed to the studio.',
  waiting_for_engine: 'It waits for an engine.',
  loading_model: 'The engine loads the model.',
  rendering: 'It is being made.',
  encoding: 'The result is being put into a file.',
  storing: 'The result is being stored.',
  done: 'It has ended.',
} as const;
export type ProgressStage = keyof typeof progressStages;

export const queueReasons = {
  lane_full: "Your plan's places for this kind are taken by your other generations.",
  account_full: "All of your plan's places are taken by your other generations.",
  fair_share: 'Others who asked for less go first.',
  engine_busy: 'The engines for this model are busy.',
  engine_down: 'No engine for this model can be reached just now.',
  reference_processing: 'A file that it names is still being looked at.',
  studio_unreachable: 'The studio cannot be reached just now.',
  scheduled_retry: 'It is tried again in a while.',
} as const;
export type QueueReason = keyof typeof queueReasons;
