import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The console as files below /console/. Nothing is inlined: the policy that the service sends with them allows no
 * inline script.
 */
const config = defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    emptyOutDir: true,
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
  },
  logLevel: 'warn',
});

export { config as default };
