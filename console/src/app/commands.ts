import { keyOf, type PageLink } from './pages.ts';

/** A command of the palette. */
export type Command = {
  id: string;
  name: string;
  /** The keyboard shortcut for the same action. */
  keys?: string;
  run: () => void;
};

/**
 * Returns the commands whose name contains every typed word, in any order. Names that begin with the text come first.
 */
export function commandsFor(typed: string, commands: readonly Command[]): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const begins = ({ name }: Command) => (name.toLowerCase().startsWith(words.join(' ')) ? 0 : 1);
  return found.toSorted((a, b) => begins(a) - begins(b));
}

/** Returns a command for each page. */
export function pageCommands(links: readonly PageLink[], go: (to: PageLink['to']) => void): Command[] {
  return links.map((link) => {
    const key = keyOf(link);
    return {
      id: link.to,
      name: link.name,
      ...(key !== undefined && { keys: `g ${key}` }),
      run: () => go(link.to),
    };
  });
}
