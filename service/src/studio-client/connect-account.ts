import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createSecretBox, type SecretBox } from '@renderkit/server-kit/secrets.ts';
import { saveConnection } from './store.ts';

/** Encrypts the tokens of connections. The context of each token is its account's id. */
export function connectionSecrets(secretKey: Buffer): SecretBox {
  return createSecretBox(secretKey, 'studio connection');
}

/**
 * Stores a grant that the studio gave for one of its accounts. Makes our account the first time; later gives the same
 * account a new session. Returns our account's id. `also` runs in the same transaction.
 */
export async function connectAccount(
  database: Database,
  secretKey: Buffer,
  grant: { studioId: string; studioAccountId: string; email: string | null; refreshToken: string },
  also?: (transaction: Transaction, accountId: string) => Promise<void>,
): Promise<{ accountId: string }> {
  const secrets = connectionSecrets(secretKey);
  const accountId = await saveConnection(
    database,
    {
      newAccountId: newId('acc_'),
      studioId: grant.studioId,
      studioAccountId: grant.studioAccountId,
      email: grant.email,
      encryptRefreshToken: (id) => secrets.encrypt(grant.refreshToken, id),
    },
    also,
  );
  return { accountId };
}
