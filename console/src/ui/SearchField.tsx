import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { filterWidth } from './Filters.tsx';
import classes from './filters.module.css';
import { Icon } from './Icon.tsx';

const debounceMs = 300;

type SearchFieldProps = {
  /** Name of the field: "Search by prompt". */
  label: string;
  /** The present text in the address. */
  text: string;
  /** Called after a pause in typing. `undefined` for an empty text. */
  onSearch: (text: string | undefined) => void;
};

/**
 * A field that filters a list. Its text follows the address when something other than this field changed the address.
 */
export function SearchField({ label, text, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(text);
  // The last text seen in the address, then the texts that were sent and not yet seen there.
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
    // `search` is a new function in each render, with the same timer.
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
