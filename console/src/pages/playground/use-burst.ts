import type { Generation, GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { callV1 } from '../../api/client.ts';
import { isUnconfirmed } from '../../api/errors.ts';
import { idempotencyKeyFor, type SentRequest } from '../../generations/idempotency-key.ts';
import { kinds, type RequestBody } from '../../generations/kinds.ts';

/** Creates that belong together. */
export type Burst = { kind: GenerationKind; bodies: readonly RequestBody[] };

type BurstOptions = {
  /** After each create that was accepted; `made` are all of the burst so far. */
  onCreated: (generation: Generation, made: readonly string[]) => void;
  onRefused: (error: Error) => void;
};

/** What is left of a burst that broke off. */
type Rest = { asked: string; left: readonly SentRequest[]; made: readonly string[] };

/**
 * Sends creates one after the other. Each has an idempotency key of its own. Where one gets no answer, the same burst
 * goes on there when it is run again, under the same keys, so that each is made and paid for once.
 */
export function useBurst({ onCreated, onRefused }: BurstOptions) {
  const rest = useRef<Rest>(undefined);
  const creation = useMutation({
    meta: { inline: true },
    mutationFn: async ({ kind, left, made, asked }: Rest & { kind: GenerationKind }) => {
      const ids = [...made];
      for (const [i, request] of left.entries()) {
        rest.current = { asked, left: left.slice(i), made: [...ids] };
        const generation = await callV1(
          kinds[kind].operation,
          { body: request.body },
          { headers: { 'idempotency-key': request.key } },
        );
        ids.push(generation.id);
        onCreated(generation, ids);
      }
      rest.current = undefined;
    },
    onError: (error) => {
      if (!isUnconfirmed(error)) rest.current = undefined;
      onRefused(error);
    },
  });
  /** `drawn` are the same requests with what chance adds to them. */
  const start = ({ kind, bodies }: Burst, drawn: readonly RequestBody[] = bodies) => {
    const { path } = kinds[kind];
    const asked = JSON.stringify([path, bodies]);
    if (rest.current?.asked !== asked) {
      const left = drawn.map((body) => ({ path, body, key: idempotencyKeyFor({ path, body }, undefined) }));
      rest.current = { asked, left, made: [] };
    }
    creation.mutate({ kind, ...rest.current });
  };
  return { start, creation };
}
