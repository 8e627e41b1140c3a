import { ActionIcon, Button, Text, Tooltip } from '@mantine/core';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { formatDuration } from '../../format/durations.ts';
import { formatCount } from '../../format/numbers.ts';
import { v1Query } from '../../api/queries.ts';
import { EndGeneration } from '../../generations/EndGeneration.tsx';
import { isFinal } from '../../generations/generation-status.ts';
import { isSeed } from '../../model-form/seed.ts';
import { Icon } from '../../ui/Icon.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import classes from './result.module.css';
import { useSameAgain } from './use-same-again.ts';
import { useRequestOf } from './use-runs.ts';

const route = getRouteApi('/signed-in/playground');
const modelsStaleMs = 60_000;

type RunFactsProps = {
  generation: Generation;
  /** The label of this run in its grid. */
  label?: string | undefined;
};

/** The facts about a run in one line, and the actions on the whole run. */
export function RunFacts({ generation, label }: RunFactsProps) {
  const { id, status, model, cost } = generation;
  const { prompt, seed } = useRequestOf(id);
  const { credits } = cost;
  return (
    <div className={classes['facts']}>
      {label !== undefined && (
        <Text fz="sm" fw={600}>
          {label}
        </Text>
      )}
      <div className={classes['line']} role="status">
        <StatusBadge status={status} />
        <Elapsed generation={generation} />
        <Text fz="xs" c="dimmed" component="span" className={classes['more']}>
          {[
            model,
            seed === undefined ? undefined : `seed ${seed}`,
            credits === null ? undefined : formatCount(credits, 'credit'),
          ]
            .filter((fact) => fact !== undefined)
            .join(' · ')}
        </Text>
        <span className={classes['runActions']}>
          <EndGeneration generation={generation} size="compact-xs" />
          {isFinal(generation) && <Again generation={generation} />}
          <TextLink to="/generations/$id" params={{ id }} fz="xs">
            Details
          </TextLink>
        </span>
      </div>
      {prompt !== undefined && (
        <Text fz="xs" c="dimmed" className={classes['prompt']} title={prompt}>
          {prompt}
        </Text>
      )}
    </div>
  );
}

/** Buttons to run the same request again, or to open it in the form. */
function Again({ generation }: { generation: Generation }) {
  const repeats = useRepeats(generation.model);
  const navigate = route.useNavigate();
  const { again, pending } = useSameAgain();
  return (
    <>
      <Tooltip
        label={
          repeats
            ? 'Run the same request again, with the same seed'
            : 'Run the same request again; there is no seed, so the result differs'
        }
      >
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<Icon name="refresh" size={12} />}
          loading={pending}
          onClick={() => again(generation)}
        >
          {repeats ? 'Same again' : 'Run again'}
        </Button>
      </Tooltip>
      <Tooltip label="Put its request into the form">
        <ActionIcon
          size={24}
          aria-label="Put its request into the form"
          onClick={() =>
            void navigate({
              search: { kind: generation.kind, from: generation.id, generation: generation.id },
              replace: true,
              resetScroll: false,
            })
          }
        >
          <Icon name="edit" size={14} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}

/** Returns whether a model makes the same result for the same request. Models that accept a seed do. */
function useRepeats(model: string): boolean {
  const models = useQuery({ ...v1Query('listModels', {}), staleTime: modelsStaleMs });
  const found = models.data?.data.find(({ id }) => id === model);
  return found?.parameters.options.some(isSeed) ?? true;
}

/** Shows how long a generation has been in progress, or how long it took. */
function Elapsed({ generation }: { generation: Generation }) {
  const { created_at: created, completed_at: completed } = generation;
  const [now, setNow] = useState(Date.now);
  const open = completed === null;
  useEffect(() => {
    if (!open) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [open]);
  const end = completed === null ? now : Date.parse(completed);
  const took = Math.max(0, end - Date.parse(created));
  return (
    <Text fz="xs" c="dimmed" component="span" aria-live="off">
      {formatDuration(open ? Math.floor(took / 1_000) * 1_000 : took)}
    </Text>
  );
}
