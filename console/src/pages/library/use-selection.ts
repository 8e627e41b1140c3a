import { useState } from 'react';

export type Selection = {
  /** In the order of the page. */
  chosen: readonly string[];
  has: (id: string) => boolean;
  /** Chooses one, or no longer; `through`: all between the last one and this. */
  toggle: (id: string, through: boolean) => void;
  chooseAll: () => void;
  clear: () => void;
};

/** Which items of a page are chosen. One that is no longer on the page is chosen no more. */
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
