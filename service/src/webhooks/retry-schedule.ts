/**
 * When a delivery is attempted (docs/api.md §6): seconds before each attempt, counted from the end of the one before it.
 * The first comes at once, the fourth half an hour after the third has failed, and the seventh is the last. Whoever
 * records an attempt hands this to `record_attempts`, which sets the time of the next one.
 */
export const attemptDelaySeconds = [0, 60, 300, 1800, 7200, 21_600, 43_200] as const;
