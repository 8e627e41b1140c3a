import { hkdfSync } from 'node:crypto';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { keyIdOf } from '@renderkit/server-kit/secrets.ts';
import { keepSetting, selectSecretKeyUse } from './store.ts';

const settingName = 'secret_key_check';

/**
 * What a service's database needs of SECRET_KEY: `any` while nothing was encrypted and no key was noted, else the one
 * key for which `isRight` says so. It is read before the database is migrated, and changes nothing.
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
 * The first start leaves a value in the database that only the same SECRET_KEY gives again: another key would make
 * every encrypted secret unreadable, one by one and much later.
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
