import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the file to run for one of our programs, given its source: the compiled file when `COMPILED_PROGRAMS` is set
 * and contains the program (stack/compiled-programs.mjs), else the source itself.
 */
export function programFile(source: string): string {
  const folder = process.env['COMPILED_PROGRAMS'];
  if (folder === undefined) return source;
  // The folder is node_modules/.cache/programs in the tree that contains the sources.
  const root = path.resolve(folder, '../../../..');
  const compiled = path.resolve(folder, path.relative(root, source)).replace(/\.ts$/, '.mjs');
  return existsSync(compiled) ? compiled : source;
}

/**
 * Returns the environment variables that our programs need to start fast. Without Node's compile cache each start would
 * compile everything again, take twice the time, and keep the compiler in memory. The cache of compiled programs is in
 * a subfolder of theirs.
 */
export function startEnvironment(): Record<string, string> {
  const { COMPILED_PROGRAMS, NODE_COMPILE_CACHE, HOME } = process.env;
  // A user without an entry in the user database, as in containers, has its home only in `HOME`. Packages read it while
  // they load.
  const home = HOME !== undefined && { HOME };
  if (COMPILED_PROGRAMS !== undefined)
    return { COMPILED_PROGRAMS, NODE_COMPILE_CACHE: path.join(COMPILED_PROGRAMS, 'cache'), ...home };
  return { ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }), ...home };
}
