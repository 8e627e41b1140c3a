import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { consoleQuery } from '../../api/queries.ts';
import { parseJson } from '../../format/json.ts';
import type { RequestBody } from '../../generations/kinds.ts';
import { showErrorToast } from '../../ui/toasts.ts';
import { useBurst } from './use-burst.ts';

const route = getRouteApi('/signed-in/playground');

/** Runs the request of a generation once more as it was sent, its seed included, and shows the new run. */
export function useSameAgain() {
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const { start, creation } = useBurst({
    onRefused: showErrorToast,
    onCreated: (generation) => {
      void queries.invalidateQueries({ queryKey: ['console', 'listGenerationRows'] });
      void navigate({
        search: (before) => ({ ...before, generation: generation.id }),
        replace: true,
        resetScroll: false,
      });
    },
  });
  const read = useMutation({
    mutationFn: ({ id }: Generation) =>
      queries.ensureQueryData(consoleQuery('getGenerationDetail', { params: { id } })),
    onSuccess: ({ request, generation }) => {
      const body = parseJson(request.body);
      if (typeof body === 'object' && body !== null)
        start({ kind: generation.kind, bodies: [body as RequestBody] });
    },
  });
  return {
    again: (generation: Generation) => read.mutate(generation),
    pending: read.isPending || creation.isPending,
  };
}
