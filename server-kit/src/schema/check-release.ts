import type { MigrationFile } from './read-schema-files.ts';
import type { SchemaState } from './schema-state.ts';

/** The database was prepared by files that differ from ours, or by a version that is too new for this one. */
export class MigrationMismatch extends Error {
  override name = 'MigrationMismatch';
}

/**
 * Throws when this code must not run on the database: the database's release is too new, or its migrations differ from
 * ours. Migrations that a newer release added are accepted if its `oldestRelease` allows this code.
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
