import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '../format/numbers.ts';
import classes from './action-bar.module.css';

type ActionBarProps = {
  /** Name for screen readers: "Chosen items". */
  label: string;
  /** Number of chosen items, and the noun for one of them. */
  count: number;
  noun: string;
  onClear: () => void;
  /** Controls that change the selection. */
  beside?: ReactNode;
  /** Buttons. */
  children: ReactNode;
};

/** The actions on all chosen items of a page. Stays at the lower edge of the window while any item is chosen. */
export function ActionBar({ label, count, noun, onClear, beside, children }: ActionBarProps) {
  if (count === 0) return null;
  return (
    <section className={classes['bar']} aria-label={label}>
      <div className={classes['part']}>
        <Text fz="sm" fw={600} aria-live="polite">
          {formatCount(count, noun)} chosen
        </Text>
        {beside}
        <Button variant="subtle" color="gray" onClick={onClear}>
          Clear
        </Button>
      </div>
      <div className={classes['part']}>{children}</div>
    </section>
  );
}
