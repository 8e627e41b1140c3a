import { useEffect, useState } from 'react';

/**
 * For a dialog that is there only while it is open: gives the focus back to what had it when it came. Mantine does that only
 * for a dialog that stays when it is closed, and opens later than it is there.
 */
export function useFocusReturn(): void {
  const [before] = useState(heldFocus);
  useEffect(() => () => before?.focus({ preventScroll: true }), [before]);
}

/** What has the focus; of an item of a menu, which closes with it, the button of the menu. */
function heldFocus(): HTMLElement | null {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement)) return null;
  const button = activeElement.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return button ? document.getElementById(button) : activeElement;
}
