import { TextInput } from '@mantine/core';
import { dayOf } from '../format/days.ts';
import { filterWidth } from './Filters.tsx';
import classes from './filters.module.css';

/** Limits of a range of days, `2026-11-21`. `undefined`: no limit on that side. */
export type Days = { from?: string | undefined; to?: string | undefined };

/** Filters a list by a range of days. */
export function DateRange({ days, onChange }: { days: Days; onChange: (days: Days) => void }) {
  const field = (side: keyof Days, label: string) => (
    <TextInput
      type="date"
      size="xs"
      className={classes['control']}
      style={filterWidth('8.75rem')}
      aria-label={label}
      title={label}
      value={days[side] ?? ''}
      {...(side === 'from' ? { max: days.to } : { min: days.from })}
      onChange={({ currentTarget: { value } }) => onChange({ ...days, [side]: dayOf(value) })}
    />
  );
  return (
    <div className={`${classes['days']} ${classes['whole']}`}>
      {field('from', 'Made on or after')}
      <span aria-hidden="true">–</span>
      {field('to', 'Made on or before')}
    </div>
  );
}
