/**
 * Converts whole 1/1000 credits to credits, as people see them. What an account can spend:
 * `service/src/credits/available-credits.ts`; charges: `studio/sql/functions/charge.sql`.
 */
export function creditsOf(millicredits: number): number {
  return millicredits / 1_000;
}

/** Rounds to whole 1/1000 credits, because sums and products of credits have floating-point errors. */
export function roundCredits(credits: number): number {
  return creditsOf(Math.round(credits * 1_000));
}

/**
 * Converts credits that a person typed to whole 1/1000 credits. Returns `undefined` for a finer amount; never rounds
 * it.
 */
export function millicreditsOf(credits: number): number | undefined {
  const millicredits = Math.round(credits * 1_000);
  // The division returns the float nearest to a decimal with three places. It equals the input if the input has at most
  // three.
  return creditsOf(millicredits) === credits ? millicredits : undefined;
}
