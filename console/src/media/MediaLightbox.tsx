import { ActionIcon, Modal, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import type { KeyboardEvent, ReactNode } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { MediaView } from './MediaView.tsx';
import { type MediaItem, nameOfItem } from './media-item.ts';
import classes from './media-lightbox.module.css';

type MediaLightboxProps = {
  items: readonly MediaItem[];
  /** Id of the item that is shown. `undefined`: the dialog is closed. */
  shown: string | undefined;
  onShow: (id: string | undefined) => void;
  /** Content next to the item: details and actions. */
  details?: (item: MediaItem) => ReactNode;
};

/** Shows one item large in a dialog. Arrow keys show the previous and the next item. Escape closes the dialog. */
export function MediaLightbox({ items, shown, onShow, details }: MediaLightboxProps) {
  const at = items.findIndex(({ id }) => id === shown);
  const item = items[at];
  const step = (by: -1 | 1) => {
    const next = items[at + by];
    if (next !== undefined) onShow(next.id);
  };
  useWindowEvent('keydown', (event) => {
    if (item !== undefined && event.key === 'Escape' && isForLightbox(event)) onShow(undefined);
  });
  return (
    <Modal
      closeOnEscape={false}
      opened={item !== undefined}
      onClose={() => onShow(undefined)}
      size="min(96vw, 120rem)"
      title={item === undefined ? '' : `${nameOfItem(item)} · ${at + 1} of ${items.length}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
      onKeyDown={(event) => arrow(event, step)}
    >
      {item !== undefined && (
        <div className={classes['layout']} data-alone={details === undefined}>
          <div className={classes['stage']}>
            <Neighbour side="left" label="Previous" disabled={at === 0} onClick={() => step(-1)} />
            <div
              style={{ width: `min(100%, calc(var(--stage) * ${(item.width ?? 1) / (item.height ?? 1)}))` }}
            >
              <MediaView key={item.id} item={item} />
            </div>
            <Neighbour side="right" label="Next" disabled={at === items.length - 1} onClick={() => step(1)} />
          </div>
          {details !== undefined && <div className={classes['details']}>{details(item)}</div>}
          <Text className={classes['hint']} fz="xs" c="dimmed">
            ← and → lead to the neighbours, Esc closes.
          </Text>
        </div>
      )}
    </Modal>
  );
}

type NeighbourProps = { side: 'left' | 'right'; label: string; disabled: boolean; onClick: () => void };

function Neighbour({ side, ...rest }: NeighbourProps) {
  const { label, ...button } = rest;
  return (
    <ActionIcon
      className={classes['neighbour']}
      data-side={side}
      variant="default"
      size="lg"
      aria-label={label}
      {...button}
    >
      <Icon name={side} />
    </ActionIcon>
  );
}

/** Returns whether Escape closes the lightbox. A dialog or menu that was opened from it closes first. */
function isForLightbox({ target }: { target: EventTarget | null }): boolean {
  const taken = target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true';
  return !taken && document.querySelectorAll('[role="dialog"]').length === 1;
}

/** Handles arrow keys, unless a control needs them itself: a player, a field, a menu. */
function arrow(event: KeyboardEvent, step: (by: -1 | 1) => void): void {
  const target = event.target as HTMLElement;
  // React also reports keys of a dialog that was opened inside this one.
  if (!event.currentTarget.contains(target)) return;
  if (target.closest('input, textarea, select, video, [role="menu"], [role="slider"]') !== null) return;
  if (event.key === 'ArrowLeft') step(-1);
  else if (event.key === 'ArrowRight') step(1);
  else return;
  event.preventDefault();
}
