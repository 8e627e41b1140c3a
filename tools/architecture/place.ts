import path from 'node:path';
import { orderedModules, workspaces } from './rules.ts';

/** Where a file stands: its workspace, and where that is made of modules, the module and the file's name in it. */
export type Place = {
  workspace: string;
  /** The folder that is divided into modules, `service/src`. */
  source: string | undefined;
  /** Undefined for the files beside the modules: what puts them together, and what they stand on. */
  module: string | undefined;
  /** Its path inside of the module, or of `source` where it is in none. */
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

/** The workspace that a file belongs to; its first folder where it belongs to none. */
export function workspaceOf(file: string): string {
  const [first = '', second] = file.split('/');
  const nested = `${first}/${second}`;
  // An engine needs no line in the rules.
  return nested in workspaces || (first === 'engines' && second !== undefined) ? nested : first;
}

/** Tests, and what only tests use. */
export function isTest(file: string): boolean {
  return /\.test\.tsx?$|\/test(?:ing)?\//.test(file);
}

export function resolveFrom(file: string, specifier: string): string {
  return path.posix.join(path.posix.dirname(file), specifier);
}
