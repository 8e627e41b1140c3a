import { type RefObject, useEffect, useState } from 'react';

/**
 * For a dialog that is there only while it is open: gives the focus back to what had it when it came, or to `opener` where
 * that is another: an item of a menu closes with it. Mantine does that only for a dialog that stays when it is closed, and
 * opens later than it is there.
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
