import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Bytes below which a file is sent as it is. */
const worthCompressing = 1_000;

/** A compressed file beside each script and style: the service sends it to browsers that take it. */
const compressed: Plugin = {
  name: 'compressed',
  writeBundle: async ({ dir = '' }, bundle) => {
    const files = Object.keys(bundle).filter((name) => /\.(?:js|css)$/.test(name));
    await Promise.all(
      files.map(async (name) => {
        const bytes = await readFile(path.join(dir, name));
        if (bytes.length < worthCompressing) return;
        await writeFile(path.join(dir, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }));
      }),
    );
  },
};

/**
 * The console as files below /console/. Nothing is inlined: the policy that the service sends with them allows no
 * inline script.
 */
const config = defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compressed],
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
