import { useState, type ReactNode } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { MediaLightbox } from './MediaLightbox.tsx';
import { MediaView } from './MediaView.tsx';
import { type MediaItem, nameOfItem } from './media-item.ts';
import classes from './output-grid.module.css';

type OutputGridProps = { items: readonly MediaItem[]; details?: (item: MediaItem) => ReactNode };

/** The outputs of a generation: images that open large, and videos to play. */
export function OutputGrid({ items, details }: OutputGridProps) {
  const [shown, setShown] = useState<string>();
  return (
    <>
      <ul className={classes['grid']} data-many={items.length > 1}>
        {items.map((item) => (
          <li key={item.id} className={classes['cell']}>
            <div className={classes['item']} style={widthOf(item)}>
              <MediaView item={item} />
              <button
                type="button"
                className={classes['open']}
                aria-label={`Show ${nameOfItem(item)} large`}
                onClick={() => setShown(item.id)}
              >
                <Icon name="eye" size={14} />
              </button>
            </div>
          </li>
        ))}
      </ul>
      <MediaLightbox items={items} shown={shown} onShow={setShown} details={details} />
    </>
  );
}

/** Returns the largest width at which the item is no higher than most of the window. */
function widthOf({ width, height }: MediaItem) {
  return width !== null && height !== null && height > 0
    ? { width: `min(100%, calc(62vh * ${width / height}))` }
    : {};
}
