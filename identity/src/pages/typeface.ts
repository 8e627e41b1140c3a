import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(
  import.meta.resolve('@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2'),
);

/**
 * The console's typeface, in all its weights, as part of the style of a page: 27 kB, so that a page still has nothing to
 * load and never changes under the eyes of who reads it. Letters that it does not have come from the system.
 */
export const typefaceRule = `@font-face {
  font-family: "Figtree Variable"; font-style: normal; font-weight: 300 900;
  src: url(data:font/woff2;base64,${readFileSync(file, 'base64')}) format("woff2");
}`;
