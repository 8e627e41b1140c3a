import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';

/**
 * Builds the client, then deletes `dist/` and compiles `src/` into it against the built client. `npm pack` puts `dist/`
 * into the package.
 */
const folder = import.meta.dirname;
execFileSync(process.execPath, [path.join(folder, '../sdk/build.ts')], { stdio: 'inherit' });
rmSync(path.join(folder, 'dist'), { recursive: true, force: true });
const compiler = path.join(folder, '../../node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', path.join(folder, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
