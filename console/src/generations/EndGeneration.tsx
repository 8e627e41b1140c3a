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
 * A button that ends a generation, after a confirmation. It cancels a queued generation and asks the engine to stop a
 * running one; if the engine cannot stop, the error says so. Shows nothing for a finished generation.
 * `service/src/generations/cancel/cancel-generation.ts` and `service/src/generations/stop/stop-generation.ts` decide
 * which generations can be canceled or stopped.
 */
export function EndGeneration({ generation, ...button }: EndGenerationProps) {
  const { status } = generation;
  if (status !== 'queued' && status !== 'running') return null;
  // A new key for each status: the state of a cancel must not carry over to a stop.
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
