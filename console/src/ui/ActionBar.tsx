import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '../format/numbers.ts';
import classes from './action-bar.module.css';

type ActionBarProps = {
  /** Names it for those who do not see it: "Chosen items". */
  label: string;
  /** How many are chosen, and what one of them is called. */
  count: number;
  noun: string;
  onClear: () => void;
  /** What changes how many are chosen. */
  beside?: ReactNode;
  /** Buttons. */
  children: ReactNode;
};

/** What can be done with everything chosen on a page; it stays at the window's lower edge while anything is. */
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
