import { Button, Select } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { EmptyState } from './EmptyState.tsx';
import classes from './filters.module.css';

/** The filters of a list, above it. */
export function FilterBar({ children }: { children: ReactNode }) {
  return (
    <div className={classes['bar']} role="search" aria-label="Filters">
      {children}
    </div>
  );
}

/** Returns the style that sets the width of a filter control, if the window has room. */
export function filterWidth(width: string): CSSProperties {
  return { '--filter-width': width } as CSSProperties;
}

type FilterSelectProps<Value extends string> = {
  /** Name of the filter, for screen readers. */
  label: string;
  /** Shown while nothing is chosen: "Every status". */
  placeholder: string;
  width: string;
  options: readonly (Value | { value: Value; label: string })[];
  value: Value | undefined;
  /** Called with `undefined` when the choice is cleared. */
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
      className={classes['control']}
      style={filterWidth(width)}
      data={[...options]}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}

type NoMatchesProps = { title: string; children: ReactNode; onClear: () => void };

/** Shown when no item matches the filters. */
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
