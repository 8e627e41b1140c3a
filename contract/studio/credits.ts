/** Credits, as people see them, of whole 1/1000 credits. */
export function creditsOf(millicredits: number): number {
  return millicredits / 1_000;
}

/** To whole 1/1000 credits: sums and products of credits drift as those of all floats do. */
export function roundCredits(credits: number): number {
  return creditsOf(Math.round(credits * 1_000));
}

/** Credits that a person typed as whole 1/1000 credits; undefined where they are finer, which is never rounded. */
export function millicreditsOf(credits: number): number | undefined {
  const millicredits = Math.round(credits * 1_000);
  // Division gives the float that lies nearest to a decimal of three places: what was typed, if it had no more.
  return creditsOf(millicredits) === credits ? millicredits : undefined;
}
