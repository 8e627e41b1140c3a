import type { ReactNode } from 'react';
import classes from './description-list.module.css';

/** Names with their values. An item whose value is undefined is left out. */
export function DescriptionList({ items }: { items: [name: string, value: ReactNode][] }) {
  return (
    <div className={classes['frame']}>
      <dl className={classes['list']}>
        {items
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </div>
  );
}
