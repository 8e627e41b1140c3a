import { Select, Switch, Textarea } from '@mantine/core';
import { maxTextOptionCharacters } from '@renderkit/contract/studio/kinds.ts';
import { ChoiceField } from './ChoiceField.tsx';
import { RangeField } from './RangeField.tsx';
import { SeedField } from './SeedField.tsx';
import { optionDefault, sliderRange } from './fit-values.ts';
import type { ModelOption } from './form-fields.ts';
import type { OptionValue } from './form-values.ts';
import { isSeed } from './seed.ts';
import type { FormControl } from './use-form.ts';

/** With more choices than this, a list is shown. */
const maxShownAsCards = 4;

type OptionFieldProps = {
  option: ModelOption;
  form: FormControl;
  /** The seed of the result that is shown. */
  lastSeed?: number | undefined;
};

/** One option of the model, of any type. */
export function OptionField({ option, form, lastSeed }: OptionFieldProps) {
  const { key, name: title } = option;
  const set = form.values.options[key];
  const error = form.errorOf(`options.${key}`);
  const change = (value: OptionValue | undefined) =>
    form.change('options', (before) => {
      const others = Object.entries(before).filter(([name]) => name !== key);
      return Object.fromEntries(value === undefined ? others : [...others, [key, value]]);
    });
  if (isSeed(option))
    return (
      <SeedField
        {...{ option, error }}
        value={typeof set === 'number' ? set : undefined}
        onChange={change}
        last={lastSeed}
      />
    );
  switch (option.type) {
    case 'toggle':
      return (
        <Switch
          label={title}
          error={error}
          checked={(set ?? optionDefault(option)) === true}
          onChange={({ currentTarget }) => change(currentTarget.checked)}
        />
      );
    case 'slider':
      return (
        <RangeField
          label={title}
          range={sliderRange(option)}
          value={typeof set === 'number' ? set : undefined}
          onChange={change}
          error={error}
        />
      );
    case 'text':
      return (
        <TextOption
          option={option}
          value={String(set ?? optionDefault(option))}
          change={change}
          error={error}
        />
      );
    case 'select':
      return (
        <SelectOption option={option} value={String(set ?? optionDefault(option))} {...{ change, error }} />
      );
  }
}

/** A free text. The field does not allow more characters than the option accepts. */
function TextOption({ option, value, change, error }: SelectOptionProps) {
  const { max_length: max = maxTextOptionCharacters } = option;
  return (
    <Textarea
      label={option.name}
      // Counted in code points, as the service does.
      description={`${[...value].length} of ${max} characters`}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      autosize
      minRows={1}
      maxRows={6}
      value={value}
      onChange={({ currentTarget }) => change([...currentTarget.value].slice(0, max).join(''))}
      error={error}
    />
  );
}

type SelectOptionProps = {
  option: ModelOption;
  value: string;
  change: (value: OptionValue) => void;
  error: string | undefined;
};

/** A choice of an option's values. */
export function SelectOption({ option, value, change, error }: SelectOptionProps) {
  const values = option.values ?? [];
  const items = values.map((one) => ({ value: String(one.value), label: one.label }));
  const choose = (text: string | null) => {
    const chosen = values.find((one) => String(one.value) === text);
    if (chosen !== undefined) change(chosen.value);
  };
  if (items.length <= maxShownAsCards)
    return <ChoiceField label={option.name} items={items} value={value} onChange={choose} error={error} />;
  return (
    <Select
      label={option.name}
      data={items}
      value={value}
      onChange={choose}
      error={error}
      allowDeselect={false}
    />
  );
}
