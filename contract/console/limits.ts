/**
 * Limits of the console's API and pages. Browsers use them too, so this file needs no schema library.
 * `service/src/identity/keys/validate-key.ts` checks the limits of keys.
 */

export const maxKeyNameCharacters = 100;
export const maxKeyLifetimeDays = 36_500;
export const maxKeyRateLimitPerMinute = 1_000_000;
/** In credits. Fractions of 1/1000 credit are refused. */
export const maxDailyBudgetCredits = 1_000_000_000;

export const maxWebhookUrlCharacters = 2048;

export const defaultOverviewDays = 30;
export const maxOverviewDays = 90;
/** The number of newest generations with outputs that the overview shows. */
export const latestShown = 8;

/** The maximum number of library items that are moved or downloaded at once: the largest page of items. */
export const maxChosenItems = 100;

/** The number of characters of a prompt that lists show. */
export const promptExcerptCharacters = 200;

/** The number of newest generations that the row of an upload shows. */
export const latestUsesShown = 3;
/** The uses of one upload are counted up to this number. */
export const maxUsesCounted = 1_000;
