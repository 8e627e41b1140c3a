import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import type { StackConfig } from './config.ts';
import { filesOf, makeDataDirectory } from './data-directory.ts';
import type { Databases } from './databases.ts';
import { StackError } from './stack-error.ts';
import { holdsAccounts } from './store.ts';

export type StackSecrets = { secretKey: string; studioClientSecret: string };

/**
 * The secrets that service and studio start with: as given, as kept before, or made up now.
 * @throws StackError when a key is missing that existing data were sealed with
 */
export async function keepSecrets(
  config: StackConfig,
  { urls, embedded }: Pick<Databases, 'urls'> & { embedded: object | undefined },
): Promise<StackSecrets> {
  const files = filesOf(config.dataDirectory);
  await makeDataDirectory(config.dataDirectory);
  const kept = config.secretKey ?? (await readKeptSecret(files.secretKey));
  // A key made up for data that were sealed with another one would only hide that the right one is missing.
  if (kept === undefined && embedded === undefined && (await holdsAccounts(urls.service)))
    throw new StackError(
      'SECRET_KEY is not set and the external database holds accounts: set it to the key that they were made with.',
    );
  return {
    secretKey: kept ?? (await keepSecret(files.secretKey)),
    studioClientSecret: config.studioClientSecret ?? (await keepSecret(files.studioClientSecret)),
  };
}

/** Reads a secret that is kept in a file; undefined when there is none yet. */
async function readKeptSecret(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.trim() === '' ? undefined : text.trim();
}

/** The secret kept in a file, made up (32 random bytes, hexadecimal) and kept with mode 0600 when there is none. */
async function keepSecret(file: string): Promise<string> {
  const kept = await readKeptSecret(file);
  if (kept !== undefined) return kept;
  const secret = randomBytes(32).toString('hex');
  // Renamed when it is whole and on disk: half a key would lock out what was sealed with the other half.
  const unfinished = `${file}.${process.pid}`;
  const handle = await open(unfinished, 'w', 0o600);
  await handle.writeFile(`${secret}\n`);
  await handle.sync();
  await handle.close();
  await rename(unfinished, file);
  return secret;
}
