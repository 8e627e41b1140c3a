import { type RefObject, useEffect, useState } from 'react';

/**
 * For a dialog that is mounted only while it is open. On unmount, returns the focus to the element that had it before,
 * or to `opener`. Use `opener` for a menu item, which disappears with its menu. Mantine returns the focus only for a
 * dialog that stays mounted and opens later.
 */
export function useFocusReturn(opener?: RefObject<HTMLElement | null>): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      const target = opener === undefined ? before : opener.current;
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    },
    [before, opener],
  );
}
