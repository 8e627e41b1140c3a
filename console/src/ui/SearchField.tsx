import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { filterWidth } from './Filters.tsx';
import classes from './filters.module.css';
import { Icon } from './Icon.tsx';

const debounceMs = 300;

type SearchFieldProps = {
  /** Names the field: "Search by prompt". */
  label: string;
  /** As the address has it. */
  text: string;
  /** After a moment without typing; undefined for nothing. */
  onSearch: (text: string | undefined) => void;
};

/** A field whose text narrows a list. Give it the address' text as its key, so that it follows. */
export function SearchField({ label, text, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(text);
  const search = useDebouncedCallback((value: string) => onSearch(value.trim() || undefined), debounceMs);
  return (
    <TextInput
      size="xs"
      className={`${classes['control']} ${classes['whole']}`}
      style={filterWidth('14rem')}
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={100}
      leftSection={<Icon name="search" size={13} />}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        search(value);
      }}
    />
  );
}
