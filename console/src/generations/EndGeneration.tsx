import { Button, type ButtonProps, Text } from '@mantine/core';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callV1 } from '../api/client.ts';
import { formatCredits } from '../format/numbers.ts';
import { ConfirmModal } from '../ui/ConfirmModal.tsx';
import { whatStopKeeps } from './generation-status.ts';

const ends = {
  queued: {
    operation: 'cancelGeneration',
    action: 'Cancel generation',
    title: 'Cancel this generation?',
    about: ({ cost: { credits } }: Generation) =>
      `It is taken out of the queue and never made.${
        credits === null ? '' : ` Its ${formatCredits(credits)} credits are not spent.`
      } No event is sent.`,
  },
  running: {
    operation: 'stopGeneration',
    action: 'Stop',
    title: 'Stop this generation?',
    about: () => whatStopKeeps,
  },
} as const;

type EndGenerationProps = Pick<ButtonProps, 'size'> & { generation: Generation };

/**
 * Cancels a generation while it waits, and asks the engine to give up one that runs; where it cannot, the refusal says so. It
 * asks before. Nothing is shown where there is nothing to end.
 */
export function EndGeneration({ generation, ...button }: EndGenerationProps) {
  const { status } = generation;
  if (status !== 'queued' && status !== 'running') return null;
  // What was asked of one that waited is no answer for one that runs.
  return <End key={status} {...{ generation, status, ...button }} />;
}

function End({ generation, status, size }: EndGenerationProps & { status: keyof typeof ends }) {
  const { operation, action, title, about } = ends[status];
  const [asking, setAsking] = useState(false);
  const queries = useQueryClient();
  const end = useMutation({
    meta: { inline: true },
    mutationFn: () => callV1(operation, { params: { id: generation.id } }),
    onSuccess: () => setAsking(false),
    onSettled: () =>
      Promise.all(
        [['v1', 'getGeneration'], ['console']].map((queryKey) => queries.invalidateQueries({ queryKey })),
      ),
  });
  return (
    <>
      <Button variant="default" size={size} onClick={() => setAsking(true)}>
        {action}
      </Button>
      <ConfirmModal
        opened={asking}
        onClose={() => setAsking(false)}
        title={title}
        action={action}
        onConfirm={() => end.mutate()}
        pending={end.isPending}
        error={end.error}
      >
        <Text fz="sm">{about(generation)}</Text>
      </ConfirmModal>
    </>
  );
}
