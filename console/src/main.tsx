import '@fontsource-variable/figtree/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient, router } from './app/router.tsx';
import { cssVariables, theme } from './app/theme.ts';
import { Toasts } from './app/Toasts.tsx';

declare global {
  // Modals are built on react-remove-scroll, which reads the nonce here.
  var __webpack_nonce__: string | undefined;
}

/** Stores the chosen color scheme: light, dark, or the system's. */
const colorSchemeManager = localStorageColorSchemeManager({ key: 'renderkit-color-scheme' });

/**
 * Sets the color scheme before the first paint, to prevent a flash. The content security policy allows no inline
 * script, which could do this earlier.
 */
function applyColorScheme(): void {
  const wanted = colorSchemeManager.get('auto');
  const dark = wanted === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : wanted === 'dark';
  document.documentElement.dataset['mantineColorScheme'] = dark ? 'dark' : 'light';
}

/** Returns the nonce that the service wrote into this page. Styles that the browser code creates need it. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}

applyColorScheme();
globalThis.__webpack_nonce__ = styleNonce();

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no element #root.');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Toasts />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
