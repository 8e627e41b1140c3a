import { ActionIcon, Group, Input, NumberInput, Tooltip } from '@mantine/core';
import { Icon } from '../ui/Icon.tsx';
import type { ModelOption } from './form-fields.ts';

type SeedFieldProps = {
  option: ModelOption;
  /** `undefined` or below 0: random. */
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  error?: string | undefined;
  /** The seed of the result that is shown. */
  last: number | undefined;
};

/** The seed: random, locked to that of the shown result, or a number. */
export function SeedField({ option, value, onChange, error, last }: SeedFieldProps) {
  const locked = value !== undefined && value >= 0;
  return (
    <Input.Wrapper
      label={option.name}
      labelElement="div"
      description={
        locked
          ? 'The same seed makes the same again.'
          : `Another one for each run${last === undefined ? '' : `; the last was ${last}`}.`
      }
      error={error}
    >
      <Group gap={6} wrap="nowrap" mt={4}>
        <NumberInput
          flex={1}
          size="xs"
          aria-label={option.name}
          placeholder="Random"
          min={0}
          max={option.max ?? 4_294_967_295}
          allowDecimal={false}
          allowNegative={false}
          value={locked ? value : ''}
          onChange={(next) => onChange(typeof next === 'number' ? next : undefined)}
        />
        <Tooltip label="Another one for each run">
          <ActionIcon
            variant="default"
            size={30}
            aria-label="Random seed"
            aria-pressed={!locked}
            onClick={() => onChange(undefined)}
          >
            <Icon name="dice" size={15} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label={last === undefined ? 'There is no result whose seed could be kept' : `Keep ${last}`}>
          <ActionIcon
            variant="default"
            size={30}
            aria-label="Keep the seed of the result"
            aria-pressed={locked}
            aria-disabled={last === undefined && !locked}
            onClick={() => onChange(locked ? undefined : last)}
          >
            <Icon name={locked ? 'locked' : 'open'} size={15} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Input.Wrapper>
  );
}
