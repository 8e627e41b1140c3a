import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { callV1 } from '../../api/client.ts';
import { useBurst } from '../../generations/use-burst.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { showErrorToast } from '../../ui/toasts.ts';
import { readMask, rememberMask } from './painted-masks.ts';

const route = getRouteApi('/signed-in/playground');

/**
 * Runs the request of a generation again, with the seed that it had, and shows the new run. `presentRequest` in
 * `service/src/generations/reads/request-body.ts` makes the request with this seed.
 */
export function useSameAgain() {
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const { account } = useSignedIn();
  const earlier = useRef('');
  const { start, creation } = useBurst({
    onRefused: showErrorToast,
    onCreated: (generation, _made, left) => {
      rememberMask(account.id, generation.id, readMask(account.id, earlier.current));
      void queries.invalidateQueries({ queryKey: ['console', 'listGenerationRows'] });
      if (left) return;
      void navigate({
        search: (before) => ({ ...before, generation: generation.id }),
        replace: true,
        resetScroll: false,
      });
    },
  });
  const read = useMutation({
    mutationFn: ({ id }: Generation) => callV1('getGenerationRequest', { params: { id } }),
    onSuccess: ({ repeat, body }, { id, kind }) => {
      earlier.current = id;
      const asked = repeat ?? body;
      if (asked === null) showErrorToast(new Error('Its request was erased, and cannot be sent again.'));
      else start({ kind, bodies: [asked] });
    },
  });
  return {
    again: (generation: Generation) => read.mutate(generation),
    pending: read.isPending || creation.isPending,
  };
}
