import { Progress, VisuallyHidden } from '@mantine/core';
import type { GenerationRow } from '@renderkit/contract/console/schemas/generation.ts';
import { Link } from '@tanstack/react-router';
import { isFinal, stageSentence } from '../../generations/generation-status.ts';
import { useProgress, type Watching } from '../../generations/use-progress.ts';
import { MediaView } from '../../media/MediaView.tsx';
import { itemOfOutput } from '../../media/media-item.ts';
import { Icon } from '../../ui/Icon.tsx';
import classes from './runs.module.css';

type RunsProps = {
  rows: readonly GenerationRow[];
  watching: ReadonlyMap<string, Watching>;
  /** Ids of the runs that are shown large. */
  shown: readonly string[];
};

/** The newest runs, as links to show them large. Runs in progress show their preview and progress. */
export function Runs({ rows, watching, shown }: RunsProps) {
  if (rows.length === 0) return null;
  return (
    <nav aria-label="Recent runs">
      <ul className={classes['runs']}>
        {rows.map((row) => {
          const { id } = row.generation;
          const isShown = shown.includes(id);
          return (
            <li key={id}>
              <Link
                to="/playground"
                search={(before) => ({ ...before, generation: id })}
                replace
                resetScroll={false}
                className={classes['run']}
                data-shown={isShown}
                title={row.prompt ?? undefined}
              >
                <VisuallyHidden>
                  {`Recent: ${row.prompt ?? 'made without words'}${isShown ? ', shown above' : ''}. `}
                </VisuallyHidden>
                {isFinal(row.generation) ? (
                  <Made row={row} />
                ) : (
                  <UnderWay row={row} watching={isShown ? 'none' : (watching.get(id) ?? 'none')} />
                )}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function Made({ row: { generation } }: { row: GenerationRow }) {
  const { outputs, status } = generation;
  const [first] = outputs;
  if (first === undefined)
    return (
      <span className={classes['none']} data-status={status}>
        <Icon name={status === 'failed' ? 'warning' : 'close'} size={18} />
        {status === 'failed' ? 'Failed' : 'Canceled'}
      </span>
    );
  return (
    <>
      <MediaView item={itemOfOutput(first)} small fill inert alt="" />
      {outputs.length > 1 && <span className={classes['count']}>{outputs.length}</span>}
    </>
  );
}

function UnderWay({ row, watching }: { row: GenerationRow; watching: Watching }) {
  const { status } = row.generation;
  const { progress, preview } = useProgress(row.generation, watching);
  const position = progress?.queue?.position;
  const known = progress?.fraction ?? null;
  return (
    <span className={classes['underWay']}>
      {preview !== undefined && <img className={classes['preview']} src={preview.url} alt="" />}
      <span className={classes['stage']}>
        {typeof position === 'number' ? `${position} in the queue` : stageSentence(status, progress)}
      </span>
      <Progress
        className={classes['bar']}
        size="xs"
        value={known === null ? 100 : known * 100}
        animated={known === null && status === 'running'}
        striped={known === null && status === 'running'}
        color={status === 'queued' ? 'gray' : undefined}
        aria-label="Under way"
      />
    </span>
  );
}
