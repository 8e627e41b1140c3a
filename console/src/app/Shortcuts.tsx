import { useWindowEvent } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { keyOf, pageGroups } from './pages.ts';

const CommandPalette = lazy(async () => ({ default: (await import('./CommandPalette.tsx')).CommandPalette }));
const ShortcutList = lazy(async () => ({ default: (await import('./ShortcutList.tsx')).ShortcutList }));

/** How long `g` waits for the key of a page. */
const sequenceMs = 1_200;

/** The shortcuts of every page and their dialogs: Ctrl+K, `?`, and `g` before the key of a page. */
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
  // Captured before the focused element: after `g`, a key opens a page instead of acting on a result.
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

/** Returns whether the target is a field, whose keys are typed text. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input:not([type="checkbox"]), textarea, select') !== null)
  );
}

/** Returns whether a dialog is open. A dialog has its own keys. */
function isCovered(): boolean {
  return document.querySelector('[role="dialog"]') !== null;
}
