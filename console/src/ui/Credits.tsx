import { formatCredits } from '../format/numbers.ts';
import classes from './credits.module.css';

/** An amount of credits. `null` when it is not known. */
export function Credits({ amount, unit = true }: { amount: number | null; unit?: boolean }) {
  if (amount === null) return <span>—</span>;
  return (
    <span className={classes['credits']}>
      {formatCredits(amount)}
      {unit && <span className={classes['unit']}> {amount === 1 ? 'credit' : 'credits'}</span>}
    </span>
  );
}
