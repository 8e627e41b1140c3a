import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import type { BackendDetail, ManagedBackend } from '@renderkit/contract/studio/administration/backends.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { callConsole } from '../../../api/client.ts';
import { formatCount } from '../../../format/numbers.ts';
import { administrationQuery } from '../../../session/administration.ts';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { BackendState } from './BackendState.tsx';
import classes from './backends.module.css';

type CheckModalProps = { backend: ManagedBackend; opened: boolean; onClose: () => void };

/**
 * Checks a backend at once, and offers a full check of everything that renders need.
 * `studio/src/backends/check-backend.ts` makes both checks.
 */
export function CheckModal({ backend, opened, onClose }: CheckModalProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title={`Check ${backend.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Check backend={backend} />
    </Modal>
  );
}

function Check({ backend: { name, engine } }: { backend: ManagedBackend }) {
  const queryClient = useQueryClient();
  const { data: administration } = useQuery(administrationQuery);
  const hasSteps = administration?.engines.some((one) => one.name === engine && one.has_full_check) === true;
  const check = useMutation({
    mutationFn: () => callConsole('checkBackend', { params: { name } }),
    meta: { inline: true },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['console', 'getBackend'] }),
  });
  const { mutate } = check;
  useEffect(() => mutate(), [mutate]);
  return (
    <Stack gap="md">
      {check.isPending && <Working>It is asked how it is, and what fits there…</Working>}
      {check.error !== null && <ProblemAlert error={check.error} title="It could not be checked" />}
      {check.data !== undefined && <Checked backend={check.data} />}
      {hasSteps && <FullCheck name={name} />}
    </Stack>
  );
}

function Working({ children }: { children: string }) {
  return (
    <Group gap="xs" role="status">
      <Loader size="xs" />
      <Text fz="sm">{children}</Text>
    </Group>
  );
}

function Checked({ backend }: { backend: BackendDetail }) {
  const fitting = backend.routes.filter(({ fits }) => fits).length;
  return (
    <div>
      <BackendState backend={backend} />
      <Text fz="sm" mt={8}>
        {backend.routes.length === 0
          ? 'No model on offer names it yet.'
          : `${fitting} of ${formatCount(backend.routes.length, 'route')} of models on offer fit there.`}
      </Text>
    </div>
  );
}

/** Runs test jobs on the backend, step by step. */
function FullCheck({ name }: { name: string }) {
  const full = useMutation({
    mutationFn: () => callConsole('fullyCheckBackend', { params: { name } }),
    meta: { inline: true },
  });
  return (
    <Stack gap="sm">
      {full.data !== undefined && (
        <ol className={classes['steps']} aria-label="Steps">
          {full.data.steps.map((step) => (
            <li key={step.name}>
              <StepOutcome ok={step.ok} walked={step.walked ?? true} />
              <div>
                <Text fz="sm" fw={560}>
                  {step.name.replaceAll('_', ' ')}
                </Text>
                <Text fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {step.message}
                </Text>
              </div>
              <span className={classes['seconds']}>{step.seconds.toFixed(1)} s</span>
            </li>
          ))}
        </ol>
      )}
      {full.error !== null && <ProblemAlert error={full.error} title="It could not be tried" />}
      {full.isPending ? (
        <Working>Small jobs of ours run there, step by step. This may take minutes…</Working>
      ) : (
        <Group gap="xs">
          <Button variant="default" onClick={() => full.mutate()}>
            {full.data === undefined ? 'Try every step' : 'Try every step again'}
          </Button>
          {full.data === undefined && (
            <Text fz="xs" c="dimmed">
              By small jobs of ours. None that a provider bills: those are left to the command.
            </Text>
          )}
        </Group>
      )}
    </Stack>
  );
}

function StepOutcome({ ok, walked }: { ok: boolean; walked: boolean }) {
  if (!walked) return <StatusBadge status="off" label="Not tried" />;
  return <StatusBadge status={ok ? 'succeeded' : 'failed'} label={ok ? 'Works' : 'Fails'} />;
}
