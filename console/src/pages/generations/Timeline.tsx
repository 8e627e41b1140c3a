import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { Time } from '../../ui/Time.tsx';
import { spanText, timelineOf } from '../../generations/generation-status.ts';
import classes from './generations.module.css';

/** How it went: each step with its time, and how long it took to come to it. */
export function Timeline({ generation }: { generation: Generation }) {
  return (
    <ol className={classes['timeline']}>
      {timelineOf(generation).map(({ name, at, took }) => (
        <li key={name} className={classes['step']} data-open={at === null} data-bad={name === 'Failed'}>
          <div>{name}</div>
          <div className={classes['took']}>
            {at === null ? 'Not yet' : <Time at={at} />}
            {took !== undefined && `, after ${spanText(took)}`}
          </div>
        </li>
      ))}
    </ol>
  );
}
