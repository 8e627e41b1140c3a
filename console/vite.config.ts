import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** The part of the typeface that every page needs. The other part is loaded when a page has letters of it. */
const firstTypeface = /^assets\/figtree-latin-wght-normal-[\w-]+\.woff2$/;

/**
 * Lets a page load its typeface together with its script, before the first paint. Puts the licence next to the built
 * files.
 */
function typeface(): Plugin {
  return {
    name: 'renderkit-typeface',
    async generateBundle() {
      const licence = fileURLToPath(import.meta.resolve('@fontsource-variable/figtree/LICENSE'));
      this.emitFile({
        type: 'asset',
        fileName: 'assets/figtree-LICENSE.txt',
        source: await readFile(licence),
      });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((name) => firstTypeface.test(name))
          .map((name) => ({
            tag: 'link',
            injectTo: 'head' as const,
            attrs: {
              rel: 'preload',
              as: 'font',
              type: 'font/woff2',
              href: `/console/${name}`,
              crossorigin: true,
            },
          })),
    },
  };
}

/**
 * Builds the console as files below /console/. Nothing is inlined, because the content security policy of the service
 * allows no inline script.
 */
const config = defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), typeface()],
  // Uses the sources of the client, not its built package.
  resolve: { conditions: ['renderkit-source', ...defaultClientConditions] },
  // The service may be below a path: files reference each other relatively, and the service adjusts the page.
  experimental: {
    renderBuiltUrl: (_file, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
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
