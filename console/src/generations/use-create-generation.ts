import type { Generation, GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { callV1 } from '../api/client.ts';
import { isUnconfirmed } from '../api/errors.ts';
import { idempotencyKeyFor, type SentRequest } from './idempotency-key.ts';
import { kinds } from './kinds.ts';

type CreateOptions = {
  /** The mutation is pending until this has ended. */
  onCreated: (generation: Generation) => void | Promise<void>;
  onRefused?: (error: Error) => void;
};

/**
 * Creates generations of a kind. Each request has its own idempotency key; a request whose outcome is unknown is sent
 * again under the same key, so that it is made and paid for once. The page shows the error itself.
 */
export function useCreateGeneration(kind: GenerationKind, { onCreated, onRefused }: CreateOptions) {
  const [unconfirmed, setUnconfirmed] = useState<SentRequest>();
  const creation = useMutation({
    meta: { inline: true },
    mutationFn: ({ body, key }: SentRequest) =>
      callV1(kinds[kind].operation, { body }, { headers: { 'idempotency-key': key } }),
    onSuccess: (generation) => {
      setUnconfirmed(undefined);
      return onCreated(generation);
    },
    onError: (error, sent) => {
      setUnconfirmed(isUnconfirmed(error) ? sent : undefined);
      onRefused?.(error);
    },
  });
  const create = (body: SentRequest['body']) => {
    const { path } = kinds[kind];
    creation.mutate({ path, body, key: idempotencyKeyFor({ path, body }, unconfirmed) });
  };
  return { create, creation };
}
