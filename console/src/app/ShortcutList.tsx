import { Kbd, Modal } from '@mantine/core';
import { resultKeys } from '../pages/playground/result-keys.ts';
import { useFocusReturn } from '../ui/use-focus-return.ts';
import classes from './command-palette.module.css';
import { keyOf, pageGroups } from './pages.ts';

const everywhere: [keys: string[], what: string][] = [
  [['Ctrl', 'K'], 'Open the command palette'],
  [['?'], 'Show this list'],
  [['Esc'], 'Close what is open'],
];
const creating: [keys: string[], what: string][] = [
  [['Ctrl', '↵'], 'Run'],
  [['↑'], 'Take up an earlier prompt, from the beginning of the prompt'],
  [['↓'], 'Go back to the later one, from its end'],
];
const result = Object.entries(resultKeys).map(([key, what]): [string[], string] => [[key], what]);
const mask: [keys: string[], what: string][] = [
  [['←', '↑', '↓', '→'], 'Move the brush; with Shift in smaller steps'],
  [['Space'], 'Paint where it is'],
  [['Alt', '→'], 'Paint on the way'],
  [['Ctrl', 'Z'], 'Take the last step back'],
];
const library: [keys: string[], what: string][] = [
  [['x'], 'Choose the item that has the focus'],
  [['Ctrl', 'A'], 'Choose all items of the page'],
  [['Esc'], 'Choose none'],
  [['←', '→'], 'Show the neighbours of the item that is shown large'],
];

/** Lists all keyboard shortcuts, grouped by where they work. `Shortcuts.tsx` handles those that work everywhere. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  useFocusReturn();
  const pages = pageGroups.flatMap(({ links }) =>
    links.flatMap((link): [string[], string][] => {
      const key = keyOf(link);
      return key === undefined ? [] : [[['g', key], link.name]];
    }),
  );
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Keys title="Everywhere" rows={everywhere} />
      <Keys title="Go to" rows={pages} />
      <Keys title="On the creating page" rows={creating} />
      <Keys title="At a result" rows={result} />
      <Keys title="On a mask" rows={mask} />
      <Keys title="In the library" rows={library} />
    </Modal>
  );
}

function Keys({ title, rows }: { title: string; rows: [keys: string[], what: string][] }) {
  return (
    <section className={classes['keys']} aria-label={title}>
      <h3>{title}</h3>
      <dl>
        {rows.map(([keys, what]) => (
          <div key={keys.join(' ')}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
