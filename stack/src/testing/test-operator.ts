import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { commands } from '../operator/commands.ts';
import { runOperator } from '../operator/run-operator.ts';

export type TestOperator = AsyncDisposable & {
  /** The directory in which commands run and find their files. The data directory is its folder `data`. */
  directory: string;
  /** The environment of the commands. */
  environment: Record<string, string>;
  /**
   * Runs a command. Returns its output for a person, and whether it failed. @throws the error that the person would see
   */
  type: (...argv: string[]) => Promise<{ text: string; failed: boolean }>;
  /** Runs a command with `--json` and returns the parsed output. */
  run: <Data = Record<string, unknown>>(...argv: string[]) => Promise<{ data: Data; failed: boolean }>;
};

/**
 * Opens an operator with two new databases in the test run's cluster. Without these, each command would start a
 * PostgreSQL, and the first would also create it.
 */
export async function openTestOperator(more: Record<string, string> = {}): Promise<TestOperator> {
  await using owned = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-operator-'));
  owned.defer(() => rm(directory, { recursive: true, force: true }));
  const service = owned.use(await createTestDatabase('service', { poolSize: 1 }));
  const studio = owned.use(await createTestDatabase('studio', { poolSize: 1 }));
  const environment = {
    ...inheritedEnvironment(),
    DATA_DIR: path.join(directory, 'data'),
    DATABASE_URL: service.url,
    STUDIO_DATABASE_URL: studio.url,
    // The folder in which npm was called.
    INIT_CWD: directory,
    ...more,
  };
  const type = (...argv: string[]) => runOperator(commands, argv, environment);
  const ours = owned.move();
  return {
    directory,
    environment,
    type,
    run: async <Data>(...argv: string[]) => {
      const { text, failed } = await type(...argv, '--json');
      return { data: JSON.parse(text) as Data, failed };
    },
    [Symbol.asyncDispose]: () => ours.disposeAsync(),
  };
}
