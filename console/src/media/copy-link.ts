import { showToast } from '../ui/toasts.ts';

/** Copies the address of an item, or shows why the browser refuses. */
export async function copyLink(url: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(url);
    showToast('The link was copied.');
  } catch {
    showToast('The browser does not let pages copy here. Open it and copy its address.');
  }
}
