import type { ListPreview } from '@renderkit/contract/studio/administration/lists.ts';
import { differences } from './differences.ts';

type Change = ListPreview['changes'][number];

/**
 * Returns what a list would change if it replaced another, entry by entry. `idOf` names an entry. `accountsOf` returns
 * how many accounts an entry applies to, `null` for all. `mayGo` returns why an entry cannot be removed, `null` if it
 * can. `publishList` in `studio/src/catalog/publish.ts` refuses such a list.
 */
export function previewList<Entry extends { name: string }>(
  before: readonly Entry[],
  after: readonly Entry[],
  {
    idOf,
    accountsOf,
    mayGo,
  }: {
    idOf: (entry: Entry) => string;
    accountsOf: (id: string) => number | null;
    mayGo: (id: string) => string | null;
  },
): ListPreview {
  const byId = (list: readonly Entry[]) => new Map(list.map((entry) => [idOf(entry), entry]));
  const [old, fresh] = [byId(before), byId(after)];
  const changeOf = (id: string): Change[] => {
    const [one, other] = [old.get(id), fresh.get(id)];
    const found = differences(one, other);
    if (found.length === 0) return [];
    const change = one === undefined ? 'added' : other === undefined ? 'removed' : 'changed';
    return [
      {
        id,
        name: (other ?? one)?.name ?? id,
        change,
        differences: change === 'changed' ? found : [],
        accounts: accountsOf(id),
        problem: change === 'removed' ? mayGo(id) : null,
      },
    ];
  };
  const ids = [...fresh.keys(), ...[...old.keys()].filter((id) => !fresh.has(id))];
  const order = (list: ReadonlyMap<string, Entry>, other: ReadonlyMap<string, Entry>) =>
    [...list.keys()].filter((id) => other.has(id)).join('\n');
  const [first] = old.keys();
  const [firstNow] = fresh.keys();
  return {
    changes: ids.flatMap(changeOf),
    reordered: order(old, fresh) !== order(fresh, old) || first !== firstNow,
  };
}
