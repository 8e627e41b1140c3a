import { Button, Text } from '@mantine/core';
import type { GenerationRow } from '@renderkit/contract/console/schemas/generation.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callConsole, callV1 } from '../../api/client.ts';
import { type Outcome, tryEach } from '../../api/try-each.ts';
import { parseJson } from '../../format/json.ts';
import { formatCount, formatCredits } from '../../format/numbers.ts';
import { whatStopKeeps } from '../../generations/generation-status.ts';
import { newIdempotencyKey } from '../../generations/idempotency-key.ts';
import { kinds, type RequestBody } from '../../generations/kind-labels.ts';
import { ActionBar } from '../../ui/ActionBar.tsx';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { showErrorToast, showToast } from '../../ui/toasts.ts';

type Act = 'cancel' | 'stop' | 'repeat';

/** Actions on the chosen generations: cancels the queued ones, stops the running ones, or sends all requests again. */
export function BulkBar({ rows, onClear }: { rows: readonly GenerationRow[]; onClear: () => void }) {
  const [asking, setAsking] = useState<Act>();
  const waiting = rows.filter(({ generation }) => generation.status === 'queued');
  const running = rows.filter(({ generation }) => generation.status === 'running');
  const act = useAct(() => {
    setAsking(undefined);
    onClear();
  });
  const confirm = (one: Act) => ({
    opened: asking === one,
    onClose: () => setAsking(undefined),
    pending: act.isPending,
  });
  const credits = rows.reduce((sum, { generation }) => sum + (generation.cost.credits ?? 0), 0);
  return (
    <ActionBar label="Chosen generations" count={rows.length} noun="generation" onClear={onClear}>
      <Button
        variant="default"
        leftSection={<Icon name="refresh" size={14} />}
        onClick={() => setAsking('repeat')}
      >
        Run again
      </Button>
      {waiting.length > 0 && (
        <Button variant="default" onClick={() => setAsking('cancel')}>
          Cancel {waiting.length === rows.length ? '' : `${waiting.length} that wait`}
        </Button>
      )}
      {running.length > 0 && (
        <Button variant="default" onClick={() => setAsking('stop')}>
          Stop {running.length === rows.length ? '' : `${running.length} that run`}
        </Button>
      )}
      <ConfirmModal
        {...confirm('cancel')}
        title={`Cancel ${formatCount(waiting.length, 'generation')}?`}
        action="Cancel them"
        onConfirm={() => act.mutate({ act: 'cancel', rows: waiting })}
      >
        <Text fz="sm">
          They are taken out of the queue and never made, and their credits are not spent. One that starts in
          this moment runs to its end.
        </Text>
      </ConfirmModal>
      <ConfirmModal
        {...confirm('stop')}
        title={`Stop ${formatCount(running.length, 'generation')}?`}
        action="Stop them"
        onConfirm={() => act.mutate({ act: 'stop', rows: running })}
      >
        <Text fz="sm">{whatStopKeeps}</Text>
      </ConfirmModal>
      <ConfirmModal
        {...confirm('repeat')}
        title={`Run ${formatCount(rows.length, 'request')} again?`}
        action="Run again"
        harmless
        onConfirm={() => act.mutate({ act: 'repeat', rows })}
      >
        <Text fz="sm">
          The same requests are sent once more, for about {formatCredits(credits)} credits together.
        </Text>
      </ConfirmModal>
    </ActionBar>
  );
}

const done: Record<Act, string> = { cancel: 'canceled', stop: 'asked to stop', repeat: 'sent again' };

function useAct(onEnded: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ act, rows }: { act: Act; rows: readonly GenerationRow[] }) =>
      tryEach(rows, act === 'repeat' ? createRepeat() : ends[act]),
    onSuccess: async (outcome: Outcome<GenerationRow>, { act }) => {
      onEnded();
      const [first] = outcome.failed;
      if (outcome.done.length > 0)
        showToast(`${formatCount(outcome.done.length, 'generation')} ${done[act]}.`);
      if (first !== undefined)
        showErrorToast(
          new Error(`${formatCount(outcome.failed.length, 'generation')} not: ${first.error.message}`),
        );
      await queries.invalidateQueries({ queryKey: ['console'] });
    },
  });
}

const ends = {
  cancel: ({ generation: { id } }: GenerationRow) => callV1('cancelGeneration', { params: { id } }),
  stop: ({ generation: { id } }: GenerationRow) => callV1('stopGeneration', { params: { id } }),
};

/** Each request keeps one key for all tries, so a request whose response was lost is made and paid for once. */
function createRepeat() {
  const keys = new Map<string, string>();
  return async ({ generation: { id, kind } }: GenerationRow) => {
    const { request } = await callConsole('getGenerationDetail', { params: { id } });
    const body = (parseJson(request.body) ?? {}) as RequestBody;
    const { operation } = kinds[kind];
    const key = keys.get(id) ?? newIdempotencyKey();
    keys.set(id, key);
    return callV1(operation, { body }, { headers: { 'idempotency-key': key } });
  };
}
