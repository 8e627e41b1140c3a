import { Modal, SegmentedControl } from '@mantine/core';
import { type CSSProperties, useState } from 'react';
import { MediaView } from '../../media/MediaView.tsx';
import { type MediaItem, nameOfItem } from '../../media/media-item.ts';
import { useFocusReturn } from '../../ui/use-focus-return.ts';
import classes from './compare.module.css';

/** A result, and its label in a grid. */
export type Compared = { item: MediaItem; label: string | undefined };

type CompareProps = { items: readonly Compared[]; onClose: () => void };

/** Compares two results under a slider or side by side, or up to four side by side. */
export function Compare({ items, onClose }: CompareProps) {
  useFocusReturn();
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
        <ul className={classes['sides']} data-count={items.length} data-labelled={isLabelled(items)}>
          {items.map(({ item, label }) => (
            <li key={item.id}>
              <div style={ratioOf(item)} className={classes['side']}>
                <MediaView item={item} />
              </div>
              {label !== undefined && <p className={classes['label']}>{label}</p>}
            </li>
          ))}
        </ul>
      )}
    </Modal>
  );
}

/**
 * Shows one result over the other, with a line between them: the first is left of the line. The arrow keys move the
 * line.
 */
function Slider({ left, right }: { left: Compared; right: Compared }) {
  const [at, setAt] = useState(50);
  const style = { ...ratioOf(left.item), '--at': `${at}%` } as CSSProperties;
  const labelled = isLabelled([left, right]);
  return (
    <div className={classes['slider']} style={style} data-labelled={labelled}>
      <div className={classes['stage']}>
        <div className={classes['under']}>
          <MediaView item={right.item} />
        </div>
        <div className={classes['over']}>
          <MediaView item={left.item} />
        </div>
        <span className={classes['line']} aria-hidden="true" />
        <input
          className={classes['handle']}
          type="range"
          min={0}
          max={100}
          value={at}
          aria-label={`How much of the first is shown: ${left.label ?? nameOfItem(left.item)}`}
          onChange={({ currentTarget }) => setAt(Number(currentTarget.value))}
          data-autofocus
        />
      </div>
      {labelled && (
        <div className={classes['ends']}>
          <p className={classes['label']}>{left.label}</p>
          <p className={classes['label']}>{right.label}</p>
        </div>
      )}
    </div>
  );
}

const isLabelled = (items: readonly Compared[]) => items.some(({ label }) => label !== undefined);

function ratioOf({ width, height }: MediaItem): CSSProperties {
  const ratio = width !== null && height !== null && height > 0 ? width / height : 1;
  return { '--ratio': ratio } as CSSProperties;
}
