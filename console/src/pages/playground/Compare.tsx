import { Modal, SegmentedControl } from '@mantine/core';
import { type CSSProperties, useState } from 'react';
import { MediaView } from '../../media/MediaView.tsx';
import { type MediaItem, nameOfItem } from '../../media/media-item.ts';
import classes from './compare.module.css';

type CompareProps = { items: readonly MediaItem[]; onClose: () => void };

/** Compares two results under a slider or side by side, or up to four side by side. */
export function Compare({ items, onClose }: CompareProps) {
  const [first, second] = items;
  const [way, setWay] = useState<'slider' | 'sides'>('slider');
  const two = items.length === 2 && first !== undefined && second !== undefined;
  return (
    <Modal
      opened
      onClose={onClose}
      fullScreen
      title={`Compare ${items.length} results`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {two && (
        <SegmentedControl
          size="xs"
          mb="sm"
          aria-label="How to compare"
          data={[
            { value: 'slider', label: 'Slider' },
            { value: 'sides', label: 'Side by side' },
          ]}
          value={way}
          onChange={(value) => setWay(value === 'sides' ? 'sides' : 'slider')}
        />
      )}
      {two && way === 'slider' ? (
        <Slider left={first} right={second} />
      ) : (
        <ul className={classes['sides']} data-count={items.length}>
          {items.map((item) => (
            <li key={item.id}>
              <div style={ratioOf(item)} className={classes['side']}>
                <MediaView item={item} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Modal>
  );
}

/** The one over the other: what is left of the line is the first. The arrow keys move the line. */
function Slider({ left, right }: { left: MediaItem; right: MediaItem }) {
  const [at, setAt] = useState(50);
  return (
    <div className={classes['stage']} style={{ ...ratioOf(left), '--at': `${at}%` } as CSSProperties}>
      <div className={classes['under']}>
        <MediaView item={right} />
      </div>
      <div className={classes['over']}>
        <MediaView item={left} />
      </div>
      <span className={classes['line']} aria-hidden="true" />
      <input
        className={classes['handle']}
        type="range"
        min={0}
        max={100}
        value={at}
        aria-label={`How much of the first is shown: ${nameOfItem(left)}`}
        onChange={({ currentTarget }) => setAt(Number(currentTarget.value))}
        data-autofocus
      />
    </div>
  );
}

function ratioOf({ width, height }: MediaItem): CSSProperties {
  const ratio = width !== null && height !== null && height > 0 ? width / height : 1;
  return { '--ratio': ratio } as CSSProperties;
}
