import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A file of the tree and its imports. Paths are relative to the root, with forward slashes. */
export type Source = { path: string; text: string; imports: Import[] };

export type Import = {
  /** As written: `../keys/find-key.ts`, `@renderkit/contract/v1/scopes.ts`, `pg`. */
  specifier: string;
  /** True if the import is erased before the code runs. */
  typeOnly: boolean;
};

const skippedFolders = new Set(['node_modules', '.data', '.git', 'coverage', 'dist']);
const sourceNames = /\.(ts|tsx|mjs|sql)$/;

/** Reads all sources below the given folders. */
export async function readSources(root: string, folders: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const folder of folders) {
    for (const file of await filesBelow(path.join(root, folder))) {
      const text = await readFile(file, 'utf8');
      sources.push({ path: path.relative(root, file).replaceAll('\\', '/'), text, imports: importsIn(text) });
    }
  }
  return sources.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : filesBelow(file);
      return sourceNames.test(entry.name) ? [file] : [];
    }),
  );
  return found.flat();
}

const statement = /^[ \t]*(?:import|export)(\s+type)?\b(?:[^'";()]*?\sfrom)?\s*['"]([^'"\n]+)['"]/gm;
const dynamicImport = /\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g;

/** Returns the modules that a source imports: static imports, re-exports, and `import('…')` of a constant. */
export function importsIn(text: string): Import[] {
  const fixed = [...text.matchAll(statement)].map(([, type, specifier]) => ({
    specifier: specifier ?? '',
    typeOnly: type !== undefined,
  }));
  const late = [...text.matchAll(dynamicImport)].map(([, specifier]) => ({
    specifier: specifier ?? '',
    typeOnly: false,
  }));
  return [...fixed, ...late];
}
