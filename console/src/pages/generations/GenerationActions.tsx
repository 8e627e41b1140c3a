import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { GenerationDetail } from '@renderkit/contract/console/schemas/generation.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { callV1 } from '../../api/client.ts';
import { NoAnswerError, ProblemError } from '../../api/errors.ts';
import { kinds } from '../../model-form/kinds.ts';
import { runKey, type SentRun } from '../../generations/idempotency-key.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { creditsText } from '../../format/numbers.ts';
import { Icon } from '../../ui/Icon.tsx';
import { tell } from '../../ui/toasts.ts';

/** What can be done with a generation: cancel it while it waits, run its request again, edit that first. */
export function GenerationActions({ detail }: { detail: GenerationDetail }) {
  const { generation } = detail;
  return (
    <>
      {generation.status === 'queued' && <CancelGeneration generation={generation} />}
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

function CancelGeneration({ generation: { id, cost } }: { generation: Generation }) {
  const [asking, setAsking] = useState(false);
  const queries = useQueryClient();
  const cancel = useMutation({
    meta: { inline: true },
    mutationFn: () => callV1('cancelGeneration', { params: { id } }),
    onSuccess: () => setAsking(false),
    onSettled: () => queries.invalidateQueries({ queryKey: ['console'] }),
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Cancel generation
      </Button>
      <ConfirmModal
        opened={asking}
        onClose={() => setAsking(false)}
        title="Cancel this generation?"
        act="Cancel generation"
        onConfirm={() => cancel.mutate()}
        pending={cancel.isPending}
        error={cancel.error}
      >
        <Text fz="sm">
          It is taken out of the queue and never made.
          {cost.credits !== null && ` Its ${creditsText(cost.credits)} credits are not spent.`} No event is
          sent.
        </Text>
      </ConfirmModal>
    </>
  );
}

/** The same request once more, asked first: it is paid for once more. */
function RunAgain({ detail: { generation, request } }: { detail: GenerationDetail }) {
  const [asking, setAsking] = useState(false);
  const [inDoubt, setInDoubt] = useState<SentRun>();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const run = useMutation({
    meta: { inline: true },
    mutationFn: ({ body, key }: SentRun) =>
      callV1(
        kinds[generation.kind].operation,
        { body },
        {
          headers: { 'idempotency-key': key },
        },
      ),
    onSuccess: async ({ id }) => {
      setInDoubt(undefined);
      setAsking(false);
      tell('It runs again.');
      await queries.invalidateQueries({ queryKey: ['console', 'listGenerationRows'] });
      await navigate({ to: '/generations/$id', params: { id } });
    },
    onError: (error, sent) => {
      const unknown =
        error instanceof NoAnswerError || (error instanceof ProblemError && error.status >= 500);
      setInDoubt(unknown ? sent : undefined);
    },
  });
  const begin = () => {
    const body = JSON.parse(request.body) as SentRun['body'];
    run.mutate({ path: request.path, body, key: runKey({ path: request.path, body }, inDoubt) });
  };
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
          run.reset();
        }}
        title="Run this request again?"
        act="Run again"
        harmless
        onConfirm={begin}
        pending={run.isPending}
        error={run.error === null ? undefined : explained(run.error)}
      >
        <Text fz="sm">
          The same request is sent once more
          {credits === null ? '' : `, for about ${creditsText(credits)} credits`}.
        </Text>
      </ConfirmModal>
    </>
  );
}

/** A mask that was painted, and a file that was fetched, are kept for a day. */
function explained(error: Error): Error {
  if (!(error instanceof ProblemError)) return error;
  const gone = error.errors.find(({ message }) => message.includes('no such upload'));
  if (gone === undefined) return error;
  const what =
    gone.field === 'mask' ? 'The mask was kept for a day' : `What ${gone.field} named is no longer there`;
  const { status, code, requestId } = error;
  return new ProblemError({
    status,
    code,
    request_id: requestId,
    detail: `${what}. Choose “Edit and run” and put another in its place.`,
  });
}
