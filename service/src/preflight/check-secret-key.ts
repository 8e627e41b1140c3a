import { hkdfSync } from 'node:crypto';
import { ConfigError } from '@renderkit/server-kit/config.ts';
import type { Database } from '@renderkit/server-kit/database.ts';
import { keepSetting } from './store.ts';

const settingName = 'secret_key_check';

/**
 * The first start leaves a value in the database that only the same SECRET_KEY gives again: another key would make
 * every sealed secret unreadable, one by one and much later.
 * @throws ConfigError
 */
export async function checkSecretKey(database: Database, secretKey: Buffer): Promise<void> {
  const value = Buffer.from(hkdfSync('sha256', secretKey, '', 'renderkit check value', 16)).toString('hex');
  if ((await keepSetting(database, settingName, value)) !== value)
    throw new ConfigError(
      'SECRET_KEY is not the one that the secrets in this database were sealed with: set the one it was first started with.',
    );
}
