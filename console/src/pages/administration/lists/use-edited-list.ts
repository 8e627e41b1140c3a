import { useState } from 'react';

type Published<Item> = { version: number; items: readonly Item[] };

/**
 * Manages an edited list. Returns the published list until the person changes something. After that, returns the
 * person's list with the version that it is based on. `publishList` in `studio/src/catalog/publish.ts` refuses a list
 * that is based on an older version.
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
    /**
     * Starts from these items instead of the published ones, unless the person has changed something in the meantime.
     */
    begin: (begun: readonly Item[]) =>
      published !== undefined && setEdited((now) => now ?? { version: published.version, items: begun }),
    remove: (at: number) => replace(items.filter((_, i) => i !== at)),
    /** Moves an item one place forward. */
    advance: (at: number) => {
      const [item] = items.slice(at, at + 1);
      if (item !== undefined && at > 0)
        replace([...items.slice(0, at - 1), item, ...items.slice(at - 1, at), ...items.slice(at + 1)]);
    },
    /** Returns to the published list. */
    discard: () => setEdited(undefined),
  };
}
