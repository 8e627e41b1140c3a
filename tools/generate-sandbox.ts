import { writeFile } from 'node:fs/promises';
import { sandboxText } from './sandbox-document.ts';

/** Writes docs/sandbox.md from the recipes of the contract. A test fails if the file is stale. */
await writeFile(new URL('../docs/sandbox.md', import.meta.url), sandboxText());
