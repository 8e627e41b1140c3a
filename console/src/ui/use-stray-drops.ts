import { useEffect } from 'react';

/**
 * Ignores files that are dropped where no component accepts them. Otherwise the browser would open them instead of the
 * console.
 */
export function useStrayDrops(): void {
  useEffect(() => {
    const hover = (event: DragEvent) => {
      if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    };
    const drop = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') === true) event.preventDefault();
    };
    globalThis.addEventListener('dragover', hover);
    globalThis.addEventListener('drop', drop);
    return () => {
      globalThis.removeEventListener('dragover', hover);
      globalThis.removeEventListener('drop', drop);
    };
  }, []);
}
