import { Select } from '@mantine/core';

type FilterSelectProps<Value extends string> = {
  /** Names what is filtered, for screen readers. */
  label: string;
  /** Shown while nothing is chosen: "Every status". */
  placeholder: string;
  width: string;
  options: readonly (Value | { value: Value; label: string })[];
  value: Value | undefined;
  /** Receives undefined when the choice is cleared. */
  onChange: (value: Value | undefined) => void;
  searchable?: boolean;
};

/** One filter of a list: a value, or none. */
export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { label, placeholder, width, options, value, onChange, searchable = false } = props;
  return (
    <Select<Value>
      aria-label={label}
      placeholder={placeholder}
      clearable
      searchable={searchable}
      size="xs"
      w={width}
      data={[...options]}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}
