import { writeFile } from 'node:fs/promises';
import { consolePathsText } from './console-paths.ts';

/** Writes console/src/api/paths.ts from the tables of the contract. */
await writeFile(new URL('../console/src/api/paths.ts', import.meta.url), consolePathsText());
