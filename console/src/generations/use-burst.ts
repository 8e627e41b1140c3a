import type { Generation, GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { useMutation } from '@tanstack/react-query';
import { callV1 } from '../api/client.ts';
import { saysNothingOfIt } from '../api/errors.ts';
import { useSignedIn } from '../session/use-signed-in.ts';
import { showErrorToast, showToast } from '../ui/toasts.ts';
import { useLeft } from '../ui/use-left.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import { kinds, type RequestBody } from './kind-labels.ts';
import { forgetRest, keepRest, type Rest, restOf } from './unanswered-creates.ts';

/** A group of creates. */
export type Burst = { kind: GenerationKind; bodies: readonly RequestBody[] };

type BurstOptions = {
  /**
   * Called after each accepted create. `made` has all ids of the burst so far. `left`: the person has left the page, so
   * this callback must not navigate.
   */
  onCreated: (generation: Generation, made: readonly string[], left: boolean) => void;
  /** Not called when the person has left the page. A toast then shows the error. */
  onRefused?: (error: Error) => void;
};

/** Bursts of this page in progress, including those of forms that were left. */
const underWay = new Set<string>();

/**
 * Sends creates one after the other, each with its own idempotency key. If a create gets no response, running the same
 * burst again continues there with the same keys. So each create is made and paid for once. The page shows the error
 * itself.
 */
export function useBurst({ onCreated, onRefused }: BurstOptions) {
  const { account } = useSignedIn();
  const left = useLeft();
  const creation = useMutation({
    meta: { inline: true },
    mutationFn: async ({ kind, asked, ...rest }: Rest & { kind: GenerationKind }) => {
      const made = [...rest.made];
      for (const [i, request] of rest.left.entries()) {
        keepRest(account.id, { asked, left: rest.left.slice(i), made: [...made] });
        const generation = await callV1(
          kinds[kind].operation,
          { body: request.body },
          { headers: { 'idempotency-key': request.key } },
        );
        made.push(generation.id);
        onCreated(generation, made, left.current);
      }
      forgetRest(account.id, asked);
    },
    onError: (error, { asked }) => {
      const rest = restOf(account.id, asked);
      if (!saysNothingOfIt(error)) forgetRest(account.id, asked);
      if (left.current) showErrorToast(error, whatWasStarted(rest));
      else onRefused?.(error);
    },
    onSettled: (_made, _error, { asked }) => underWay.delete(asked),
  });
  /** `drawn` has the same requests with random values added. */
  const start = ({ kind, bodies }: Burst, drawn: readonly RequestBody[] = bodies) => {
    const { path } = kinds[kind];
    const asked = JSON.stringify([path, bodies]);
    // The person left the form and came back. New keys would make the same runs twice.
    if (underWay.has(asked)) return showToast('The same is being sent already.');
    underWay.add(asked);
    const requests = drawn.map((body) => ({ path, body, key: newIdempotencyKey() }));
    creation.mutate({ kind, ...(restOf(account.id, asked) ?? { asked, left: requests, made: [] }) });
  };
  return { start, creation };
}

/** Returns the text about a burst that was interrupted. */
function whatWasStarted(rest: Rest | undefined): string {
  const made = rest?.made.length ?? 0;
  const all = made + (rest?.left.length ?? 1);
  return all === 1 ? 'It was not run' : `${made} of ${all} runs were started`;
}
