// A part like `steady.ts` that cannot start while a file `away` is in the data directory.

import { appendFileSync, existsSync } from 'node:fs';
import path from 'node:path';

const directory = process.env['DATA_DIR'] ?? '.';
if (existsSync(path.join(directory, 'away'))) {
  appendFileSync(path.join(directory, 'notes'), 'unsteady dies\n');
  process.stderr.write('what it needs is away\n');
  process.exitCode = 3;
  process.disconnect?.();
} else await import('./steady.ts');
