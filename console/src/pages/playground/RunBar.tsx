import { Button, Menu, Text } from '@mantine/core';
import { roundCredits } from '@renderkit/contract/studio/credits.ts';
import type { Estimate } from '@renderkit/contract/v1/schemas/estimate.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { lazy, type Ref, Suspense, useRef, useState } from 'react';
import { RenderkitError } from 'renderkit/errors';
import { formatCount, formatCredits } from '../../format/numbers.ts';
import { whatToDo } from '../../generations/generation-status.ts';
import type { RequestBody } from '../../generations/kind-labels.ts';
import { type Missing, missingOf } from '../../model-form/build-request.ts';
import type { FormValues } from '../../model-form/form-values.ts';
import type { GridCell } from '../../model-form/grid.ts';
import { Icon } from '../../ui/Icon.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import classes from './playground.module.css';
import { useEstimate, whyUnpriced } from './use-estimate.ts';

type RunBarProps = {
  kind: GenerationKind;
  model: Model;
  values: FormValues;
  body: RequestBody;
  creation: { error: Error | null; isPending: boolean };
  /** A file is being uploaded. */
  uploading: boolean;
  /** The plan does not include the model. */
  closed: boolean;
  /** Runs the request this many times. */
  onRun: (times?: number) => void;
  /** Runs a grid. */
  onVary: (cells: readonly GridCell[]) => void;
};

const Vary = lazy(async () => ({ default: (await import('./Vary.tsx')).Vary }));

/** The cost of a run, and the button that starts it. */
export function RunBar(props: RunBarProps) {
  const { kind, model, values, body, creation, uploading, closed, onRun } = props;
  const { error } = creation;
  const [varying, setVarying] = useState(false);
  const several = useRef<HTMLButtonElement>(null);
  const missing = missingOf(kind, model, values).filter(({ field }) => !fieldsWithoutPrice.has(field));
  const { estimate, isCurrent } = useEstimate(kind, model, body, missing.length === 0 && !closed);
  return (
    <div className={classes['bar']}>
      {error !== null && (
        <div className={classes['refusal']}>
          <ProblemAlert error={error} title="It was not run" />
          {RenderkitError.is(error) && (
            <Text fz="xs" c="dimmed" mt={4}>
              {whatToDo(error.code)}
            </Text>
          )}
        </div>
      )}
      <div className={classes['run']}>
        <Cost {...{ estimate, closed }} first={missing[0]} refused={error !== null} />
        <Button.Group>
          <Button
            size="sm"
            loading={creation.isPending}
            disabled={uploading || closed}
            leftSection={<Icon name="play" size={14} />}
            aria-keyshortcuts="Control+Enter"
            onClick={() => onRun()}
          >
            {uploading ? 'Uploading' : 'Run'}
          </Button>
          <Several
            ref={several}
            disabled={creation.isPending || uploading || closed}
            credits={isCurrent ? estimate.data?.credits : undefined}
            onRun={onRun}
            onVary={() => setVarying(true)}
          />
        </Button.Group>
      </div>
      {varying && (
        <Suspense>
          <Vary
            {...{ kind, model, body }}
            opener={several}
            onClose={() => setVarying(false)}
            onRun={props.onVary}
          />
        </Suspense>
      )}
    </div>
  );
}

/** The choices for several runs at once. */
const severalTimes = [2, 4, 8];

type SeveralProps = {
  ref: Ref<HTMLButtonElement>;
  disabled: boolean;
  /** Price of one run. `undefined` while it is not known. */
  credits: number | undefined;
  onRun: RunBarProps['onRun'];
  onVary: () => void;
};

function Several({ ref, disabled, credits, onRun, onVary }: SeveralProps) {
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button ref={ref} size="sm" px={6} disabled={disabled} aria-label="Run several">
          <Icon name="down" size={13} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {severalTimes.map((times) => (
          <Menu.Item
            key={times}
            onClick={() => onRun(times)}
            rightSection={
              credits !== undefined && (
                <Text fz="xs" c="dimmed">
                  {formatCount(roundCredits(credits * times), 'credit')}
                </Text>
              )
            }
          >
            Run {times} times
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={onVary}>Vary settings …</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Fields that do not affect the price. */
const fieldsWithoutPrice = new Set<string>(['prompt', 'mask']);

type CostProps = {
  estimate: ReturnType<typeof useEstimate>['estimate'];
  /** The first missing field. */
  first: Missing | undefined;
  closed: boolean;
  refused: boolean;
};

function Cost({ estimate, first, closed, refused }: CostProps) {
  if (closed)
    return (
      <Text fz="sm" c="dimmed">
        Your plan does not include it.
      </Text>
    );
  if (first !== undefined)
    return (
      <Text fz="sm" c="dimmed">
        {first.sentence}
      </Text>
    );
  // The error of a refused run contains the same in more detail.
  if (estimate.error !== null) return refused ? <span /> : <Unpriced error={estimate.error} />;
  if (estimate.data === undefined)
    return (
      <Text fz="sm" c="dimmed">
        Asking what it costs…
      </Text>
    );
  return <Priced estimate={estimate.data} stale={estimate.isPlaceholderData} />;
}

function Priced({ estimate, stale }: { estimate: Estimate; stale: boolean }) {
  const { credits, balance, sufficient, outputs, kind } = estimate;
  const noun = kind === 'image' || kind === 'image_edit' ? 'image' : 'video';
  return (
    <div className={classes['cost']} data-stale={stale} role="status">
      <Text fw={600} fz="sm">
        {formatCount(credits, 'credit')}{' '}
        <span className={classes['outputs']}>for {formatCount(outputs, noun)}</span>
      </Text>
      {balance !== null && (
        <Text fz="xs" c={sufficient === false ? 'var(--mantine-color-error)' : 'dimmed'}>
          {sufficient === false
            ? `${formatCredits(credits - balance)} too many: you have ${formatCredits(balance)}.`
            : `You have ${formatCredits(balance)}.`}
        </Text>
      )}
    </div>
  );
}

function Unpriced({ error }: { error: Error }) {
  return (
    <Text fz="sm" c="var(--mantine-color-error)" role="status">
      {whyUnpriced(error)}
    </Text>
  );
}
