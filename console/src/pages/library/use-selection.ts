import { useState } from 'react';

export type Selection = {
  /** In the order of the page. */
  chosen: readonly string[];
  has: (id: string) => boolean;
  /** Adds an item to the selection or removes it. `through`: includes all items since the last one. */
  toggle: (id: string, through: boolean) => void;
  chooseAll: () => void;
  clear: () => void;
};

/** Manages the selected items of a page. An item that leaves the page is no longer selected. */
export function useSelection(ids: readonly string[]): Selection {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string>();
  const chosen = ids.filter((id) => marked.has(id));
  const toggle = (id: string, through: boolean) => {
    const wanted = !marked.has(id);
    const [from, to] = [ids.indexOf(last ?? id), ids.indexOf(id)].toSorted((a, b) => a - b);
    const touched = through && from !== undefined && from >= 0 ? ids.slice(from, (to ?? from) + 1) : [id];
    const next = new Set(chosen);
    for (const one of touched) {
      if (wanted) next.add(one);
      else next.delete(one);
    }
    setMarked(next);
    setLast(id);
  };
  return {
    chosen,
    has: (id) => marked.has(id),
    toggle,
    chooseAll: () => setMarked(new Set(ids)),
    clear: () => setMarked(new Set()),
  };
}
