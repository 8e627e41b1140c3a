import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(
  import.meta.resolve('@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2'),
);

/**
 * The console's typeface with all its weights, inside the style of a page: 27 kB. So a page needs no external file, and
 * its letters do not change while somebody reads. The system's font draws letters that the typeface does not have.
 */
export const typefaceRule = `@font-face {
  font-family: "Figtree Variable"; font-style: normal; font-weight: 300 900;
  src: url(data:font/woff2;base64,${readFileSync(file, 'base64')}) format("woff2");
}`;
