import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * The file to run for a program of ours, given as its source: the compiled one where this process was handed
 * `COMPILED_PROGRAMS` and the program is among them (stack/compiled-programs.mjs), else the source itself.
 */
export function programFile(source: string): string {
  const folder = process.env['COMPILED_PROGRAMS'];
  if (folder === undefined) return source;
  // It lies in node_modules/.cache/programs of the tree whose sources it holds.
  const root = path.resolve(folder, '../../../..');
  const compiled = path.resolve(folder, path.relative(root, source)).replace(/\.ts$/, '.mjs');
  return existsSync(compiled) ? compiled : source;
}

/**
 * What a program of ours needs of this process's environment to start as fast. Without Node's cache each start would
 * compile everything anew, at twice the time, and hold the compiler in memory; that of compiled programs lies beside them.
 */
export function startEnvironment(): Record<string, string> {
  const { COMPILED_PROGRAMS, NODE_COMPILE_CACHE, HOME } = process.env;
  // A user that the machine has no entry of, as in containers, has no other home; packages ask for it when they are loaded.
  const home = HOME !== undefined && { HOME };
  if (COMPILED_PROGRAMS !== undefined)
    return { COMPILED_PROGRAMS, NODE_COMPILE_CACHE: path.join(COMPILED_PROGRAMS, 'cache'), ...home };
  return { ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }), ...home };
}
