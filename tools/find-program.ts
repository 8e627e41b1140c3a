import { existsSync } from 'node:fs';
import path from 'node:path';

/** Returns the path of a program from the variable `NAME_PATH` or from the `PATH`, or undefined. */
export function findProgram(name: string): string | undefined {
  const variable = `${name.toUpperCase().replaceAll('-', '_')}_PATH`;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return [process.env[variable], ...folders.map((folder) => path.join(folder, name))].find(
    (place) => place !== undefined && existsSync(place),
  );
}
