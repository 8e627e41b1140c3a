import { Checkbox, Skeleton } from '@mantine/core';
import type { LibraryItem } from '@renderkit/contract/console/schemas/library.ts';
import type { KeyboardEvent } from 'react';
import { MediaView } from '../../media/MediaView.tsx';
import { itemOfAsset, nameOfItem } from '../../media/media-item.ts';
import { Icon } from '../../ui/Icon.tsx';
import classes from './library.module.css';
import type { Selection } from './use-selection.ts';

type ItemGridProps = {
  items: readonly LibraryItem[];
  stale: boolean;
  selection: Selection;
  onShow: (id: string) => void;
};

/** Thumbnails in rows of the same height, each in its own ratio. A click opens an item; its checkbox chooses it. */
export function ItemGrid({ items, stale, selection, onShow }: ItemGridProps) {
  const press = (event: KeyboardEvent) => {
    if (event.key === 'a' && (event.ctrlKey || event.metaKey)) selection.chooseAll();
    else if (event.key === 'Escape' && selection.chosen.length > 0) selection.clear();
    else return;
    event.preventDefault();
  };
  return (
    <ul
      className={classes['grid']}
      data-stale={stale}
      data-choosing={selection.chosen.length > 0}
      aria-label="Items"
      onKeyDown={press}
    >
      {items.map((item) => (
        <Tile key={item.asset.id} item={item} selection={selection} onShow={onShow} />
      ))}
    </ul>
  );
}

type TileProps = { item: LibraryItem } & Pick<ItemGridProps, 'selection' | 'onShow'>;

function Tile({ item: { asset, prompt }, selection, onShow }: TileProps) {
  const item = itemOfAsset(asset);
  const ratio = (asset.width ?? 1) / (asset.height ?? 1);
  const name = prompt === null ? nameOfItem(item) : `${nameOfItem(item)}: ${prompt}`;
  const chosen = selection.has(asset.id);
  return (
    <li
      className={classes['tile']}
      data-chosen={chosen}
      style={{ flexGrow: ratio, flexBasis: `calc(var(--row) * ${ratio})` }}
    >
      <button
        type="button"
        className={classes['open']}
        style={{ aspectRatio: ratio }}
        title={prompt ?? undefined}
        aria-label={`Show ${name}${asset.favorite ? ', a favorite' : ''}`}
        onClick={(event) =>
          event.shiftKey || event.ctrlKey || event.metaKey
            ? selection.toggle(asset.id, event.shiftKey)
            : onShow(asset.id)
        }
        onKeyDown={(event) => {
          if (event.key === 'x') selection.toggle(asset.id, false);
        }}
      >
        <MediaView item={item} small fill inert alt="" />
        {asset.favorite && (
          <span className={classes['favorite']}>
            <Icon name="heart" size={13} />
          </span>
        )}
      </button>
      <Checkbox
        size="md"
        className={classes['choose']}
        aria-label={`Choose ${name}`}
        checked={chosen}
        // The click event reports whether Shift is held; the change event does not.
        onClick={(event) => selection.toggle(asset.id, event.shiftKey)}
        onChange={() => undefined}
      />
    </li>
  );
}

export function ItemGridLoading() {
  return (
    <ul className={classes['grid']} aria-busy="true" aria-label="Loading">
      {Array.from({ length: 12 }, (_, i) => (
        <li key={i} className={classes['tile']} style={{ flexGrow: 1, flexBasis: 'var(--row)' }}>
          <Skeleton style={{ aspectRatio: 1 }} />
        </li>
      ))}
    </ul>
  );
}
