import { localStorageColorSchemeManager } from '@mantine/core';

/** Remembers whether somebody wants light, dark, or what the system says. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'renderkit-color-scheme' });

/** Before anything is drawn, so that nothing flashes: the policy allows no inline script that could do it earlier. */
export function showColorScheme(): void {
  const wanted = colorSchemeManager.get('auto');
  const dark = wanted === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : wanted === 'dark';
  document.documentElement.dataset['mantineColorScheme'] = dark ? 'dark' : 'light';
}
