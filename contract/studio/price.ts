/** What a model charges, as data, so that both servers reach the same figure. All amounts in 1/1000 credit. */
export type PriceData = {
  /** Per generation, whatever is asked. */
  base_millicredits: number;
  /** Added per second of video. */
  per_second_millicredits?: number;
  /** Added when an option has this value: option key → value as text → amount. */
  options?: Record<string, Record<string, number>>;
  /** Added per reference image. */
  per_reference_millicredits?: number;
};

export type Priced = {
  /** Seconds of video asked for, where the model makes video. */
  durationSeconds?: number;
  options?: Readonly<Record<string, string | number | boolean>>;
  referenceImages?: number;
};

/** The cost of one generation in 1/1000 credit: a whole number, the same in the service and in the studio. */
export function price(data: PriceData, request: Priced): number {
  let millicredits = data.base_millicredits;
  if (data.per_second_millicredits !== undefined && request.durationSeconds !== undefined)
    millicredits += Math.ceil(data.per_second_millicredits * request.durationSeconds);
  for (const [key, prices] of Object.entries(data.options ?? {})) {
    const value = request.options?.[key];
    if (value !== undefined && Object.hasOwn(prices, String(value)))
      millicredits += prices[String(value)] ?? 0;
  }
  millicredits += (data.per_reference_millicredits ?? 0) * (request.referenceImages ?? 0);
  return millicredits;
}
