/**
 * The schedule of a delivery (docs/api.md §6): seconds before each attempt, counted from the end of the last one. The
 * first attempt comes at once, the fourth half an hour after the third has failed, and the seventh is the last.
 * `deliveries/recorder.ts` passes this to `record_attempts.sql`, which sets the time of the next attempt.
 */
export const attemptDelaySeconds = [0, 60, 300, 1800, 7200, 21_600, 43_200] as const;
