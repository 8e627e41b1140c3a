import type { MigrationFile } from './read-schema-files.ts';
import type { SchemaState } from './schema-state.ts';

/** The database was prepared by other files than ours, or by a version too new for this one. */
export class MigrationMismatch extends Error {
  override name = 'MigrationMismatch';
}

/**
 * Refuses a database that this code must not run on: one of a release too new for it, or one whose migrations are not
 * ours. Migrations that a newer release added are no obstacle as long as its `oldestRelease` allows this code.
 * @throws MigrationMismatch
 */
export function checkRelease(
  state: SchemaState,
  migrations: readonly MigrationFile[],
  release: number,
): void {
  if (state.oldestRelease > release)
    throw new MigrationMismatch(
      `it was prepared by release ${state.release}, which needs release ${state.oldestRelease} or newer beside it, and this is release ${release}: start a newer version`,
    );
  for (const { name, sha256 } of migrations) {
    const before = state.migrations.get(name);
    if (before !== undefined && before !== sha256)
      throw new MigrationMismatch(`migration ${name} was changed after it had been applied`);
    if (before === undefined && state.release > release)
      throw new MigrationMismatch(
        `it was prepared by release ${state.release} without migration ${name}, which this release ${release} needs: the two are not of one line of versions`,
      );
  }
  const ours = new Set(migrations.map(({ name }) => name));
  const stranger = [...state.migrations.keys()].find((name) => !ours.has(name));
  if (stranger !== undefined && state.release <= release)
    throw new MigrationMismatch(
      `it has migration ${stranger}, which this version does not know: start a newer version`,
    );
}
