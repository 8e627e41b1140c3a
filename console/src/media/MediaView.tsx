import { Button } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import type { MediaItem } from './media-item.ts';
import { nameOfItem } from './media-item.ts';
import classes from './media-view.module.css';

type MediaViewProps = {
  item: MediaItem;
  /** Shows the thumbnail instead of the whole image or video. */
  small?: boolean;
  /** Crops the item to fill its box. Otherwise the box has the ratio of the item. */
  fill?: boolean;
  /** Leaves out the button for adult content, because the view is inside another button or too small. */
  inert?: boolean;
  alt?: string;
};

/**
 * An image or video. Its box has its final size before the item has loaded. Adult content is blurred at first.
 * `studio/src/renders/store-output.ts` decides which outputs are adult content.
 */
export function MediaView({ item, small = false, fill = false, inert = false, alt }: MediaViewProps) {
  const [uncovered, setUncovered] = useState(false);
  const covered = item.nsfw && !uncovered;
  const { width, height } = item;
  const ratio = width !== null && height !== null && height > 0 ? `${width} / ${height}` : '1 / 1';
  return (
    <div
      className={classes['frame']}
      data-fill={fill}
      data-covered={covered}
      style={fill ? {} : { aspectRatio: ratio }}
    >
      <Contents item={item} small={small || covered} alt={alt ?? nameOfItem(item)} />
      {item.type === 'video' && small && (
        <span className={classes['mark']}>
          <Icon name="play" size={11} />
          {item.duration !== null && (
            <span className={classes['seconds']}>{`${Number(item.duration.toFixed(1))} s`}</span>
          )}
        </span>
      )}
      {covered && (
        <div className={classes['cover']}>
          {inert ? (
            <span className={classes['label']}>Adults only</span>
          ) : (
            <Button variant="default" size="compact-xs" onClick={() => setUncovered(true)}>
              Show adult content
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function Contents({ item, small, alt }: { item: MediaItem; small: boolean; alt: string }) {
  const [failed, setFailed] = useState<string | null>(null);
  const address = small ? (item.thumbUrl ?? (item.type === 'image' ? item.url : null)) : item.url;
  if (address === null || failed === address)
    return (
      <span className={classes['missing']} role="img" aria-label={`${alt}; it cannot be shown`}>
        <Icon name={item.type} size={20} />
      </span>
    );
  if (item.type === 'video' && !small)
    return (
      // Generated videos have no speech.
      // oxlint-disable-next-line jsx-a11y/media-has-caption
      <video
        className={classes['media']}
        src={address}
        poster={item.thumbUrl ?? undefined}
        aria-label={alt}
        controls
        loop
        playsInline
        preload="metadata"
        crossOrigin="anonymous"
      />
    );
  return (
    <img
      className={classes['media']}
      src={address}
      alt={alt}
      loading="lazy"
      decoding="async"
      crossOrigin="anonymous"
      onError={() => setFailed(address)}
    />
  );
}
