import { CopyButton } from './CopyButton.tsx';
import classes from './id.module.css';

/** An identifier, with a button that copies it. */
export function Id({ id, what }: { id: string; what: string }) {
  return (
    <span className={classes['id']} data-whole-row="true">
      <code>{id}</code>
      <CopyButton value={id} label={`Copy the ${what}`} />
    </span>
  );
}
