import { readFile, writeFile } from 'node:fs/promises';
import { connectText } from './connect-document.ts';

/** Writes the tables of docs/connect.md from the doors' mappings. A test fails if they are stale. */
const file = new URL('../docs/connect.md', import.meta.url);
await writeFile(file, connectText(await readFile(file, 'utf8')));
