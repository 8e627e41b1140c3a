import classes from './secret.module.css';

/** A secret to copy. A click selects all of it. */
export function Secret({ label, value }: { label: string; value: string }) {
  return (
    <code className={classes['secret']} aria-label={label} role="textbox" aria-readonly="true" tabIndex={0}>
      {value}
    </code>
  );
}
