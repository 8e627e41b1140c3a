import type { Issue } from './issue.ts';
import { resolveFrom } from './place.ts';
import type { Source } from './read-sources.ts';

/**
 * Returns files that import each other in a circle. Imports of types count too: a reader of one file must read the
 * other.
 */
export function circlesOf(sources: readonly Source[]): Issue[] {
  const imported = new Map<string, string[]>();
  for (const { path, imports } of sources) {
    const own = imports.map(({ specifier }) => specifier).filter((specifier) => specifier.startsWith('.'));
    imported.set(
      path,
      own.map((specifier) => resolveFrom(path, specifier)),
    );
  }
  return circlesIn(imported).map((circle) => ({
    path: circle[0] ?? '',
    message: `imports itself in a circle: ${circle.join(' → ')}.`,
  }));
}

/** Returns one circle for each place where the walk meets its own path again. */
function circlesIn(imported: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const circles: string[][] = [];
  const walk = (file: string, trail: string[]): void => {
    const met = trail.indexOf(file);
    if (met >= 0) circles.push([...trail.slice(met), file]);
    if (met >= 0 || done.has(file)) return;
    for (const next of imported.get(file) ?? []) walk(next, [...trail, file]);
    done.add(file);
  };
  for (const file of imported.keys()) walk(file, []);
  return circles;
}
