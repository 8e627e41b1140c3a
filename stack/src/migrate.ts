// Updates the databases that the environment names: `npm run migrate`. `server-kit/src/schema/migrate.ts` applies the
// migrations.

import { ConfigError, readEnvironment } from '@renderkit/server-kit/process/config.ts';
import { ignoreOutputErrors } from '@renderkit/server-kit/process/output-errors.ts';
import { prepareDatabase } from './databases.ts';
import { explainError } from './explain-error.ts';

ignoreOutputErrors();

try {
  const read = readEnvironment(process.env);
  const service = read.databaseUrl('DATABASE_URL');
  const studio = read.databaseUrl('STUDIO_DATABASE_URL');
  if (service === undefined && studio === undefined)
    throw new ConfigError(
      'Neither DATABASE_URL nor STUDIO_DATABASE_URL is set: set those that are to be migrated (npm start migrates the built-in ones by itself).',
    );
  if (service !== undefined) await prepareDatabase('service', service);
  const kept = studio === undefined ? [] : await prepareDatabase('studio', studio);
  process.stdout.write('The databases are up to date.\n');
  if (kept.length > 0)
    process.stdout.write(
      `Changed here, and so left as they are: ${kept.join(', ')}. This version brings others.\n`,
    );
} catch (error) {
  process.stderr.write(`${explainError(error)}\n`);
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
