import { Button, Text } from '@mantine/core';
import type { GenerationDetail } from '@renderkit/contract/console/schemas/generation.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { RenderkitError } from 'renderkit/errors';
import { formatCredits } from '../../format/numbers.ts';
import { EndGeneration } from '../../generations/EndGeneration.tsx';
import type { RequestBody } from '../../generations/kind-labels.ts';
import { useBurst } from '../../generations/use-burst.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { showToast } from '../../ui/toasts.ts';

/**
 * Actions on a generation: cancels it while it is queued, stops it while it runs, runs its request again, or opens the
 * request in the playground.
 */
export function GenerationActions({ detail }: { detail: GenerationDetail }) {
  const { generation } = detail;
  return (
    <>
      <EndGeneration generation={generation} />
      <RunAgain detail={detail} />
      <ButtonLink
        to="/playground"
        search={{ from: generation.id }}
        leftSection={<Icon name="edit" size={14} />}
      >
        Edit and run
      </ButtonLink>
    </>
  );
}

/** Sends the same request again. Asks first, because the new run is paid for. */
function RunAgain({ detail: { generation, request } }: { detail: GenerationDetail }) {
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { start, creation } = useBurst({
    onCreated: ({ id }, _made, left) => {
      setAsking(false);
      showToast('It runs again.');
      void queries.invalidateQueries({ queryKey: ['console', 'listGenerationRows'] });
      if (!left) void navigate({ to: '/generations/$id', params: { id } });
    },
  });
  const { credits } = generation.cost;
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="refresh" size={14} />}
        onClick={() => setAsking(true)}
      >
        Run again
      </Button>
      <ConfirmModal
        opened={asking}
        onClose={() => {
          setAsking(false);
          creation.reset();
        }}
        title="Run this request again?"
        action="Run again"
        harmless
        onConfirm={() => start({ kind: generation.kind, bodies: [JSON.parse(request.body) as RequestBody] })}
        pending={creation.isPending}
        error={creation.error === null ? undefined : explained(creation.error)}
      >
        <Text fz="sm">
          The same request is sent once more
          {credits === null ? '' : `, for about ${formatCredits(credits)} credits`}.
        </Text>
      </ConfirmModal>
    </>
  );
}

/** Adds advice to an error about a file that no longer exists. Painted masks and fetched files are kept for a day. */
function explained(error: Error): Error {
  if (!RenderkitError.is(error)) return error;
  const gone = error.errors.find(({ message }) => message.includes('no such upload'));
  if (gone === undefined) return error;
  const what =
    gone.field === 'mask' ? 'The mask was kept for a day' : `What ${gone.field} named is no longer there`;
  const { status, code, requestId } = error;
  const message = `${what}. Choose “Edit and run” and put another in its place.`;
  return new RenderkitError(code, message, { status, requestId });
}
