import { useState } from 'react';

type Published<Item> = { version: number; items: readonly Item[] };

/**
 * A list that is edited: the one that is published until something is changed, and from then on the person's own, with the
 * version from which it comes.
 */
export function useEditedList<Item>(published: Published<Item> | undefined) {
  const [edited, setEdited] = useState<Published<Item>>();
  const shown = edited ?? published;
  const replace = (items: readonly Item[]) =>
    published !== undefined && setEdited({ version: shown?.version ?? published.version, items });
  const items = shown?.items ?? [];
  return {
    version: shown?.version ?? 0,
    items,
    isEdited: edited !== undefined,
    change: (at: number, change: Partial<Item>) =>
      replace(items.map((item, i) => (i === at ? { ...item, ...change } : item))),
    add: (item: Item) => replace([...items, item]),
    /** Begins with these in place of what is published; not where something was changed meanwhile. */
    begin: (begun: readonly Item[]) =>
      published !== undefined && setEdited((now) => now ?? { version: published.version, items: begun }),
    remove: (at: number) => replace(items.filter((_, i) => i !== at)),
    /** Moves an item one place forward. */
    advance: (at: number) => {
      const [item] = items.slice(at, at + 1);
      if (item !== undefined && at > 0)
        replace([...items.slice(0, at - 1), item, ...items.slice(at - 1, at), ...items.slice(at + 1)]);
    },
    /** What is published, once more. */
    discard: () => setEdited(undefined),
  };
}
