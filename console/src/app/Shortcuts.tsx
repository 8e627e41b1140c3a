import { useWindowEvent } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { keyOf, pageGroups } from './pages.ts';

const CommandPalette = lazy(async () => ({ default: (await import('./CommandPalette.tsx')).CommandPalette }));
const ShortcutList = lazy(async () => ({ default: (await import('./ShortcutList.tsx')).ShortcutList }));

/** `g` waits this long for the key of a page. */
const sequenceMs = 1_200;

/** Keys that count on every page, and the dialogs that they open: Ctrl+K, `?`, and `g` before the key of a page. */
export function Shortcuts() {
  const [opened, setOpened] = useState<'palette' | 'list'>();
  const navigate = useNavigate();
  const sinceG = useRef(Number.NEGATIVE_INFINITY);
  const onKeyDown = (event: globalThis.KeyboardEvent) => {
    const { key } = event;
    const command = event.ctrlKey || event.metaKey;
    if (command && key.toLowerCase() === 'k') {
      event.preventDefault();
      setOpened('palette');
      return;
    }
    if (command || event.altKey || isTyping(event.target) || isCovered()) return;
    const follows = event.timeStamp - sinceG.current < sequenceMs;
    sinceG.current = key === 'g' && !follows ? event.timeStamp : Number.NEGATIVE_INFINITY;
    const link = follows ? linkOf(key) : undefined;
    if (key === '?') setOpened('list');
    else if (link !== undefined) {
      event.stopPropagation();
      void navigate({ to: link.to });
    }
  };
  // Before what has the focus: after `g` a key is that of a page, and not one of a result.
  useWindowEvent('keydown', onKeyDown, { capture: true });
  const close = () => setOpened(undefined);
  return (
    <Suspense>
      {opened === 'palette' && <CommandPalette onClose={close} />}
      {opened === 'list' && <ShortcutList onClose={close} />}
    </Suspense>
  );
}

function linkOf(key: string) {
  for (const { links } of pageGroups) for (const link of links) if (keyOf(link) === key) return link;
  return undefined;
}

/** Keys of a field are what is typed into it. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input:not([type="checkbox"]), textarea, select') !== null)
  );
}

/** A dialog has its own keys. */
function isCovered(): boolean {
  return document.querySelector('[role="dialog"]') !== null;
}
