import { Text } from '@mantine/core';
import type { Difference } from '../format/differences.ts';
import classes from './differences.module.css';

/** Lists values that differ: the old value, struck out, and the new one. */
export function Differences({ differences }: { differences: readonly Difference[] }) {
  return (
    <dl className={classes['list']}>
      {differences.map(({ path, before, after }) => (
        <div key={path}>
          <dt>{path === '' ? 'All of it' : path.replaceAll('/', ' › ')}</dt>
          <dd>
            {isThere(before) && <Value tone="before" value={before} />}
            {isThere(after) && <Value tone="after" value={after} />}
            {!isThere(before) && !isThere(after) && <Text fz="sm">Nothing</Text>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const isThere = (value: unknown): boolean => value !== null && value !== undefined;

function Value({ tone, value }: { tone: 'before' | 'after'; value: unknown }) {
  const Mark = tone === 'before' ? 'del' : 'ins';
  return (
    <Mark className={classes['value']} data-tone={tone}>
      {typeof value === 'string' ? value : JSON.stringify(value, null, 1)}
    </Mark>
  );
}
