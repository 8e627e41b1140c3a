import { Kbd, Modal, TextInput, useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { useAdministrator } from '../session/administration.ts';
import { Icon } from '../ui/Icon.tsx';
import { useFocusReturn } from '../ui/use-focus-return.ts';
import { type Command, commandsFor, pageCommands } from './commands.ts';
import classes from './command-palette.module.css';
import { administrationGroup, pageGroups } from './pages.ts';

/** The command palette: opens every page and search result by keyboard. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  useFocusReturn();
  return (
    <Modal
      opened
      onClose={onClose}
      title="Command palette"
      classNames={{ header: classes['header'] ?? '' }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Palette onClose={onClose} />
    </Modal>
  );
}

function Palette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const shown = useCommands(typed.trim());
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt((at + 1) % Math.max(1, shown.length));
    else if (event.key === 'ArrowUp') setAt((at + shown.length - 1) % Math.max(1, shown.length));
    else if (event.key === 'Enter') run(shown[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={shown[at] === undefined ? undefined : `${id}-${at}`}
        placeholder="Go to a page, or search"
        maxLength={100}
        leftSection={<Icon name="search" size={14} />}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          setAt(0);
        }}
        onKeyDown={press}
        data-autofocus
      />
      <ul className={classes['list']} role="listbox" id={id} aria-label="Commands">
        {shown.map((command, i) => (
          // The field keeps the focus and handles the keys. A pointer chooses the item under it.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={command.id}
            id={`${id}-${i}`}
            className={classes['command']}
            role="option"
            aria-selected={i === at}
            onPointerMove={() => setAt(i)}
            onClick={() => run(command)}
          >
            <span>{command.name}</span>
            {command.keys !== undefined && <Kbd size="xs">{command.keys}</Kbd>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Returns the commands that match the text, and searches for the text. */
function useCommands(typed: string): Command[] {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const isAdministrator = useAdministrator();
  const links = [...pageGroups, ...(isAdministrator ? [administrationGroup] : [])].flatMap((group) => [
    ...group.links,
  ]);
  const fixed: Command[] = [
    ...pageCommands(links, (to) => void navigate({ to })),
    ...(['light', 'dark', 'auto'] as const).map((scheme) => ({
      id: scheme,
      name: `Colours: ${scheme === 'auto' ? 'as the system' : scheme}`,
      run: () => setColorScheme(scheme),
    })),
  ];
  const searches: Command[] = [
    {
      id: 'library of',
      name: `Search the library for “${typed}”`,
      run: () => void navigate({ to: '/library', search: { search: typed } }),
    },
    {
      id: 'generations of',
      name: `Search generations for “${typed}”`,
      run: () => void navigate({ to: '/generations', search: { search: typed } }),
    },
  ];
  return [...commandsFor(typed, fixed), ...(typed === '' ? [] : searches)];
}
