import { Button, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { EmptyState } from './EmptyState.tsx';

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

type NoMatchesProps = { title: string; children: ReactNode; onClear: () => void };

/** In place of a list in which nothing matches the filters. */
export function NoMatches({ title, children, onClear }: NoMatchesProps) {
  return (
    <EmptyState
      icon="search"
      title={title}
      action={
        <Button variant="default" onClick={onClear}>
          Clear the filters
        </Button>
      }
    >
      {children}
    </EmptyState>
  );
}
