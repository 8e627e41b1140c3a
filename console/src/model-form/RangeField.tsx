import { Group, Input, NumberInput, Slider, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { fitNumber } from './fit-values.ts';
import type { NumberRange } from './form-fields.ts';
import classes from './range-field.module.css';

type RangeFieldProps = {
  label: string;
  description?: string | undefined;
  range: NumberRange;
  /** `undefined`: the default. */
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  error?: string | undefined;
};

/** With more steps than this, a slider cannot be set exactly. */
const maxSliderSteps = 400;

/** A number in a range, set by slider or keys. A button resets it to the model's default. */
export function RangeField({ label, description, range, value, onChange, error }: RangeFieldProps) {
  // The typed text may not be a number yet.
  const [draft, setDraft] = useState<string | number>();
  const { min, max, step } = range;
  const shown = value ?? range.default;
  const slides = step > 0 && (max - min) / step <= maxSliderSteps;
  return (
    <Input.Wrapper
      label={
        <Group gap={8} component="span">
          {label}
          {value !== undefined && value !== range.default && (
            <UnstyledButton className={classes['reset']} onClick={() => onChange(undefined)}>
              Default ({range.default})
            </UnstyledButton>
          )}
        </Group>
      }
      labelElement="div"
      description={description}
      error={error}
    >
      <div className={classes['row']}>
        {slides && (
          <Slider
            className={classes['slider']}
            size="sm"
            label={null}
            {...{ min, max, step }}
            value={shown}
            onChange={(next) => onChange(fitNumber(next, range))}
            thumbLabel={label}
          />
        )}
        <NumberInput
          size="xs"
          className={slides ? classes['number'] : classes['alone']}
          aria-label={label}
          {...{ min, max, step }}
          value={draft ?? shown}
          onChange={(next) => {
            setDraft(next);
            if (typeof next === 'number') onChange(fitNumber(next, range));
          }}
          onBlur={() => setDraft(undefined)}
        />
      </div>
    </Input.Wrapper>
  );
}
