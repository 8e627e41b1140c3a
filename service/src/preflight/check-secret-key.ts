import { hkdfSync } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { keyIdOf } from '@renderkit/server-kit/secrets.ts';
import { keepSetting, selectSecretKeyUse } from './store.ts';

const settingName = 'secret_key_check';

/**
 * Finds out which SECRET_KEY a service's database needs. Returns `any` when nothing was encrypted and no key was noted,
 * else a test for the right key. Works before the database is migrated, and changes nothing.
 */
export async function findNeededKey(
  database: Database,
): Promise<'any' | { isRight: (secretKey: Buffer) => boolean }> {
  const { note, encrypted } = await selectSecretKeyUse(database, settingName);
  if (note === undefined && encrypted === undefined) return 'any';
  return {
    isRight: (secretKey) =>
      note === undefined
        ? encrypted?.startsWith(`${keyIdOf(secretKey)}.`) === true
        : note === noteOf(secretKey),
  };
}

/**
 * Checks SECRET_KEY against a value in the database, which the first start stores. Only the same key gives the same
 * value. With another key every encrypted secret would be unreadable, which would be noticed much later, one secret at
 * a time.
 * @throws ConfigError
 */
export async function checkSecretKey(database: Database, secretKey: Buffer): Promise<void> {
  const needed = await findNeededKey(database);
  const note = noteOf(secretKey);
  if (
    (needed !== 'any' && !needed.isRight(secretKey)) ||
    (await keepSetting(database, settingName, note)) !== note
  )
    throw new ConfigError(
      'SECRET_KEY is not the one that the secrets in this database were encrypted with: set the one it was first started with.',
    );
}

function noteOf(secretKey: Buffer): string {
  return Buffer.from(hkdfSync('sha256', secretKey, '', 'renderkit check value', 16)).toString('hex');
}
