import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import path from 'node:path';

/** Deletes `dist/` and compiles `src/` into it. `npm pack` puts `dist/` into the package. */
const folder = import.meta.dirname;
rmSync(path.join(folder, 'dist'), { recursive: true, force: true });
const compiler = path.join(folder, '../../node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', path.join(folder, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
chmodSync(path.join(folder, 'dist/main.js'), 0o755);
