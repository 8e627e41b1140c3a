import { Progress as Bar, Text } from '@mantine/core';
import { queueReasons } from '@renderkit/contract/v1/progress.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Progress } from '@renderkit/contract/v1/schemas/progress.ts';
import { formatDuration } from '../format/durations.ts';
import { stageSentence } from './generation-status.ts';
import classes from './live-progress.module.css';
import { useProgress, type Watching } from './use-progress.ts';

type LiveProgressProps = { generation: Generation; watching?: Watching };

/**
 * Shows the live progress of a generation: its preview, its stage, and when it will be done.
 * `service/src/generations/live/present.ts` decides the stage and the place in the queue.
 */
export function LiveProgress({ generation, watching = 'stream' }: LiveProgressProps) {
  const { status } = generation;
  const { progress, preview } = useProgress(generation, watching);
  const known = progress?.fraction ?? null;
  // The bar does not move while the generation is queued.
  const moves = known === null && status === 'running';
  return (
    <div className={classes['progress']}>
      {preview !== undefined && (
        <img
          className={classes['preview']}
          src={preview.url}
          width={preview.width}
          height={preview.height}
          alt={`Output ${preview.index + 1} so far`}
        />
      )}
      <Bar
        value={known === null ? 100 : known * 100}
        animated={moves}
        striped={moves}
        color={status === 'queued' ? 'gray' : undefined}
        w="60%"
        maw="16rem"
        size="sm"
        aria-label="Under way"
      />
      <Text fz="sm" c="dimmed" ta="center" role="status">
        {stageSentence(status, progress)}
      </Text>
      {progress?.queue && (
        <Text fz="sm" c="dimmed" ta="center">
          {queueReasons[progress.queue.reason]}
        </Text>
      )}
      {progress !== undefined && <Facts progress={progress} />}
    </div>
  );
}

/** The numbers of the progress. Screen readers do not announce them, because they change too often. */
function Facts({ progress }: { progress: Progress }) {
  const { queue, step, steps, outputs_done: done, outputs_expected: expected } = progress;
  const facts = [
    queue?.position && `${queue.position}${queue.of === null ? '' : ` of ${queue.of}`} in the queue`,
    step !== null && steps !== null && `step ${step} of ${steps}`,
    expected > 1 && `${done} of ${expected} outputs`,
    progress.starts_in_seconds && `begins in ${spanOf(progress.starts_in_seconds)}`,
    progress.finishes_in_seconds && `${spanOf(progress.finishes_in_seconds)} left`,
  ].filter((fact) => typeof fact === 'string');
  return facts.length === 0 ? null : (
    <Text fz="xs" c="dimmed" ta="center" aria-live="off">
      {facts.join(' · ')}
    </Text>
  );
}

function spanOf({ low, high }: { low: number; high: number }): string {
  const [from, to] = [low, high].map((seconds) => formatDuration(Math.ceil(seconds) * 1_000));
  if (from === to) return `about ${to}`;
  return low < 1 ? `up to ${to}` : `${from} to ${to}`;
}
