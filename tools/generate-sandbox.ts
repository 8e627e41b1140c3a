import { writeFile } from 'node:fs/promises';
import { sandboxText } from './sandbox-document.ts';

/** Writes docs/sandbox.md from the recipes of the contract; a test tells when it is stale. */
await writeFile(new URL('../docs/sandbox.md', import.meta.url), sandboxText());
