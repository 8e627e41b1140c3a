import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
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

/** A field whose text narrows a list. It follows the address where somebody else than itself changed that. */
export function SearchField({ label, text, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(text);
  // What it has sent and not yet seen in the address, behind what it saw there last.
  const sent = useRef([text]);
  const search = useDebouncedCallback((value: string) => {
    const wanted = value.trim();
    sent.current.push(wanted);
    onSearch(wanted || undefined);
  }, debounceMs);
  useEffect(() => {
    const at = sent.current.indexOf(text);
    sent.current = at === -1 ? [text] : sent.current.slice(at);
    if (at !== -1) return;
    search.cancel();
    setTyped(text);
    // `search` is another function in each render, with one timer.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [text]);
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
