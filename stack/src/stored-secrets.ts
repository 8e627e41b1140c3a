import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { replaceFile } from '@renderkit/server-kit/files/durable-files.ts';
import { takeLock } from '@renderkit/server-kit/files/file-lock.ts';
import { parseSecretKey } from '@renderkit/server-kit/secrets.ts';
import { findNeededKey } from '@renderkit/service/preflight/check-secret-key.ts';
import type { DatabaseUrls, StackConfig } from './config.ts';
import { filesOf, makeDataDirectory } from './data-directory.ts';
import { unreachable } from './databases.ts';
import { StackError } from './stack-error.ts';

export type StackSecrets = { secretKey: string; studioClientSecret: string };

const lockWaitMs = 10_000;
/** The studio accepts no shorter secret. */
const minClientSecret = 16;

/**
 * Returns the secrets that service and studio start with: as given, as stored before, or newly generated. Checks the
 * key against the service's database, which may not be migrated yet. Generates no new key when data are encrypted: that
 * would only hide that the right key is missing. `service/src/preflight/check-secret-key.ts` compares the key with the
 * data.
 * @throws StackError when the key is missing, invalid, or not the one that encrypted the data
 */
export async function ensureSecrets(config: StackConfig, urls: DatabaseUrls): Promise<StackSecrets> {
  const files = filesOf(config.dataDirectory);
  await makeDataDirectory(config.dataDirectory);
  // A command and the stack may both find no secret; they have to end up with the same.
  using lock = await takeLock(files.secretsLock, { waitMs: lockWaitMs });
  if (lock === undefined)
    throw new StackError(
      `Another process holds ${files.secretsLock} and does not end: stop it and try again.`,
    );
  return {
    secretKey: await keepSecretKey(config, files.secretKey, urls.service),
    studioClientSecret: config.studioClientSecret ?? (await keepClientSecret(files.studioClientSecret)),
  };
}

async function keepSecretKey(config: StackConfig, file: string, serviceUrl: string): Promise<string> {
  const needed = await findNeeded(serviceUrl);
  const kept = config.secretKey === undefined ? await readSecret(file) : undefined;
  const text = config.secretKey ?? kept?.text;
  if (text === undefined) {
    if (needed === 'any') return makeSecret(file);
    throw new StackError(
      `SECRET_KEY is not set, ${file} is ${kept === undefined ? 'missing' : 'empty'}, and the database holds what was encrypted with that key: put the file back (a backup has it), or set SECRET_KEY to the key.`,
    );
  }
  const key = parseSecretKey(text);
  // A key from the environment was validated before, so this is the key of the file.
  if (key === undefined)
    throw new StackError(
      `${file} holds no key of 64 hexadecimal characters: put the right one back (a backup has it)${needed === 'any' ? ', or remove the file to have one made' : ''}.`,
    );
  if (needed !== 'any' && !needed.isRight(key))
    throw new StackError(
      `${kept === undefined ? 'SECRET_KEY' : `The key in ${file}`} is not the one that the secrets in the database were encrypted with: set the one that it was first started with (a backup has it).`,
    );
  return text;
}

async function findNeeded(serviceUrl: string): ReturnType<typeof findNeededKey> {
  await using database = openDatabase({ url: serviceUrl, applicationName: 'stack', poolSize: 1 });
  return await findNeededKey(database).catch((error: unknown) => {
    throw unreachable('service', error);
  });
}

async function keepClientSecret(file: string): Promise<string> {
  const { text } = (await readSecret(file)) ?? {};
  // Nothing depends on an old secret: the studio gets the new one at its next start.
  if (text === undefined) return makeSecret(file);
  if (text.length < minClientSecret)
    throw new StackError(
      `${file} holds no secret of ${minClientSecret} characters or more: remove the file to have one made.`,
    );
  return text;
}

/** Reads a file with a secret. Returns `undefined` when there is no file, and no text when the file is empty. */
async function readSecret(file: string): Promise<{ text: string | undefined } | undefined> {
  try {
    const text = (await readFile(file, 'utf8')).trim();
    return { text: text === '' ? undefined : text };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StackError(`${file} cannot be read (${(error as Error).message}): let this user read it.`, {
      cause: error,
    });
  }
}

/**
 * Generates 32 random bytes, hexadecimal, and writes them safely: a partial key, or one lost by a power cut, would make
 * what it encrypted unreadable.
 */
async function makeSecret(file: string): Promise<string> {
  const secret = randomBytes(32).toString('hex');
  await replaceFile(file, `${secret}\n`);
  return secret;
}
