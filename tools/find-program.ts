import { existsSync } from 'node:fs';
import path from 'node:path';

/** Where a program lies that `NAME_PATH` or the `PATH` leads to; undefined where there is none. */
export function findProgram(name: string): string | undefined {
  const variable = `${name.toUpperCase().replaceAll('-', '_')}_PATH`;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return [process.env[variable], ...folders.map((folder) => path.join(folder, name))].find(
    (place) => place !== undefined && existsSync(place),
  );
}
