import { useDebouncedValue } from '@mantine/hooks';
import { roundCredits } from '@renderkit/contract/studio/credits.ts';
import type { Estimate } from '@renderkit/contract/v1/schemas/estimate.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { RenderkitError } from 'renderkit/errors';
import { sentenceOf } from '../../api/errors.ts';
import { v1Query } from '../../api/queries.ts';
import type { RequestBody } from '../../generations/kind-labels.ts';
import { estimateOf } from '../../model-form/build-request.ts';
import { labeledSentence } from '../../model-form/place-errors.ts';

/** Milliseconds without a change before the price is requested. */
const debounceMs = 400;

/**
 * Returns the price of a request. Requests it only when the request is complete. `contract/studio/price.ts` computes
 * the price.
 */
export function useEstimate(kind: GenerationKind, model: Model, body: RequestBody, complete: boolean) {
  const asked = complete ? JSON.stringify(estimateOf(kind, model, body)) : '';
  const [text] = useDebouncedValue(asked, debounceMs);
  const estimate = useQuery({ ...estimateQuery(text), enabled: asked !== '' && text !== '' });
  return { estimate, isCurrent: asked === text && !estimate.isPlaceholderData };
}

/** `credits` is `undefined` when not known yet or not available. */
type Total = { credits: number | undefined; balance: number | null; error: Error | null };

/** Returns the total price of several requests. Requests with the same price are estimated once. */
export function useTotal(kind: GenerationKind, model: Model, bodies: readonly RequestBody[]): Total {
  const asked = JSON.stringify(bodies.map((body) => JSON.stringify(estimateOf(kind, model, body))));
  const [settled] = useDebouncedValue(asked, debounceMs);
  const texts = JSON.parse(settled) as string[];
  const distinct = [...new Set(texts)];
  const estimates = useQueries({
    queries: distinct.map((text) => ({ ...estimateQuery(text), placeholderData: undefined })),
  });
  const known = new Map<string, Estimate>();
  for (const [i, text] of distinct.entries()) {
    const estimate = estimates[i]?.data;
    if (estimate !== undefined) known.set(text, estimate);
  }
  const isKnown = asked === settled && known.size === distinct.length;
  const credits = texts.reduce((sum, text) => sum + (known.get(text)?.credits ?? 0), 0);
  return {
    credits: isKnown && texts.length > 0 ? roundCredits(credits) : undefined,
    balance: estimates[0]?.data?.balance ?? null,
    error: estimates.find(({ error }) => error !== null)?.error ?? null,
  };
}

/** Returns why there is no price: the invalid field, if the service names one. */
export function whyUnpriced(error: Error): string {
  const [first] = RenderkitError.is(error) ? error.errors : [];
  return first === undefined ? sentenceOf(error) : labeledSentence(first);
}

function estimateQuery(text: string) {
  return {
    ...v1Query('estimate', { body: JSON.parse(text === '' ? '{}' : text) as never }),
    // The text is the key. With the request itself, the key would contain the data of a mask.
    queryKey: ['v1', 'estimate', text],
    staleTime: 30_000,
  };
}
