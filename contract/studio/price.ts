import { durationsOf, optionsOf } from './offers.ts';
import type { StudioModel } from './schemas/catalog.ts';
import type { RenderRequest } from './schemas/render.ts';

/** The prices of a model, as data, so that both servers calculate the same amount. All amounts are in 1/1000 credit. */
export type PriceData = {
  /** Per generation, for any request. */
  base_millicredits: number;
  /** Added per second of video. */
  per_second_millicredits?: number;
  /** Added when an option has this value: option key → value as text → amount. */
  options?: Record<string, Record<string, number>>;
  /** Added per reference image. */
  per_reference_millicredits?: number;
};

type PricedModel = { price: PriceData; parameters: Pick<StudioModel['parameters'], 'durations'> };

/**
 * Returns the cost of one generation in 1/1000 credit: a whole number, the same in the service and in the studio. A
 * quote fixes it: `studio/src/renders/quote-token.ts`.
 */
export function priceOf({ price, parameters }: PricedModel, request: RenderRequest): number {
  let millicredits = price.base_millicredits;
  const seconds = secondsOf(request, parameters);
  if (price.per_second_millicredits !== undefined && seconds !== undefined)
    millicredits += Math.ceil(price.per_second_millicredits * seconds);
  const options = optionsOf(request);
  for (const [key, prices] of Object.entries(price.options ?? {})) {
    const value = options[key];
    if (value !== undefined && Object.hasOwn(prices, String(value)))
      millicredits += prices[String(value)] ?? 0;
  }
  millicredits += (price.per_reference_millicredits ?? 0) * request.reference_images.length;
  return millicredits;
}

function secondsOf(request: RenderRequest, parameters: PricedModel['parameters']): number | undefined {
  return request.kind === 'video' || request.kind === 'video_extend'
    ? (request.duration_seconds ?? durationsOf(parameters)[0]?.seconds)
    : undefined;
}
