import { Input } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './choice-field.module.css';

export type ChoiceItem = { value: string; label: string; icon?: ReactNode; hint?: string };

type ChoiceFieldProps = {
  label: string;
  description?: ReactNode;
  items: readonly ChoiceItem[];
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
};

/** A choice among a few values: radio buttons that look like small cards. */
export function ChoiceField({ label, description, items, value, onChange, error }: ChoiceFieldProps) {
  const name = useId();
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={description}
      error={error}
      role="radiogroup"
      aria-label={label}
    >
      <div className={classes['items']}>
        {items.map((item) => (
          <label key={item.value} className={classes['item']} title={item.hint}>
            <input
              type="radio"
              name={name}
              className={classes['radio']}
              value={item.value}
              checked={item.value === value}
              onChange={() => onChange(item.value)}
            />
            {item.icon}
            <span>{item.label}</span>
          </label>
        ))}
      </div>
    </Input.Wrapper>
  );
}
