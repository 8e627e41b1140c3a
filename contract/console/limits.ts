/** Generations that a row of an upload names at most. */
export const latestUsesShown = 3;
/** Uses of one upload are counted so far. */
export const maxUsesCounted = 1_000;
