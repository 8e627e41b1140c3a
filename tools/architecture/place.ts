import path from 'node:path';
import { orderedModules, workspaces } from './rules.ts';

/**
 * The place of a file: its workspace. If the workspace consists of modules, also the module and the file's name in it.
 */
export type Place = {
  workspace: string;
  /** The folder that is divided into modules: `service/src`. */
  source: string | undefined;
  /** Undefined for files next to the modules: wiring and base. */
  module: string | undefined;
  /** Path inside the module, or inside `source` if the file is in no module. */
  file: string;
};

export function placeOf(file: string): Place {
  const workspace = workspaceOf(file);
  const source = Object.keys(orderedModules).find((folder) => file.startsWith(`${folder}/`));
  if (source === undefined) return { workspace, source, module: undefined, file };
  const [first = '', ...rest] = file.slice(source.length + 1).split('/');
  return rest.length === 0
    ? { workspace, source, module: undefined, file: first }
    : { workspace, source, module: first, file: rest.join('/') };
}

/** Returns the workspace of a file, or the file's first folder if it belongs to no workspace. */
export function workspaceOf(file: string): string {
  const [first = '', second] = file.split('/');
  const nested = `${first}/${second}`;
  // Engines need no entry in the rules.
  return nested in workspaces || (first === 'engines' && second !== undefined) ? nested : first;
}

/** Returns true for tests and for files that only tests use. */
export function isTest(file: string): boolean {
  return /\.test\.tsx?$|\/test(?:ing)?\//.test(file);
}

export function resolveFrom(file: string, specifier: string): string {
  return path.posix.join(path.posix.dirname(file), specifier);
}
