/** Limits of what the console's API takes and shows. Browsers use them too, so they need no schema library. */

export const maxKeyNameCharacters = 100;
export const maxKeyLifetimeDays = 36_500;
export const maxKeyRateLimitPerMinute = 1_000_000;
/** Credits. Less than 1/1000 of a credit is refused. */
export const maxDailyBudgetCredits = 1_000_000_000;

export const maxWebhookUrlCharacters = 2048;

export const defaultOverviewDays = 30;
export const maxOverviewDays = 90;
/** Newest generations with outputs that the overview shows. */
export const latestShown = 8;

/** Items of the library that are moved or downloaded at once: what a page of them holds at most. */
export const maxChosenItems = 100;

/** Characters of a prompt that lists show. */
export const promptExcerptCharacters = 200;

/** Newest generations that the row of an upload names. */
export const latestUsesShown = 3;
/** The uses of one upload are counted up to this number. */
export const maxUsesCounted = 1_000;
