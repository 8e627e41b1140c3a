import { signingSecretPrefix } from '@renderkit/contract/v1/identifiers.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { randomBase62 } from '@renderkit/server-kit/ids.ts';
import { createSecretBox } from '@renderkit/server-kit/secrets.ts';
import { LRUCache } from 'lru-cache';
import type { Asker } from '../../identity/audit/actor.ts';
import { actOnEndpoint, noSuchEndpoint } from './act-on-endpoint.ts';
import { replaceSecret, selectSecret } from './store.ts';

export type SigningSecrets = {
  /** Returns a new secret, in clear and encrypted for storage. */
  create: (endpointId: string) => { secret: string; encrypted: string };
  /** @throws DecryptionError */
  open: (encrypted: string, endpointId: string) => string;
};

/** About 190 bits. */
const secretCharacters = 32;
/** How many decrypted secrets are cached: decrypting one took a tenth of a delivery's time. */
const maxOpened = 1_000;
/**
 * How long deliveries also carry a signature of the old secret. `claim_deliveries.sql` returns the old secret until
 * then.
 */
const overlapSeconds = 24 * 60 * 60;

/** Creates and decrypts the secrets that sign deliveries. A stored secret is bound to its endpoint. */
export function signingSecrets(secretKey: Buffer): SigningSecrets {
  const box = createSecretBox(secretKey, 'webhook signing');
  const opened = new LRUCache<string, string>({ max: maxOpened });
  return {
    create: (endpointId) => {
      const secret = signingSecretPrefix + randomBase62(secretCharacters);
      return { secret, encrypted: box.encrypt(secret, endpointId) };
    },
    open: (encrypted, endpointId) => {
      // The contents of a ciphertext never change, so the cache cannot be out of date.
      const name = `${endpointId} ${encrypted}`;
      const known = opened.get(name);
      if (known !== undefined) return known;
      const secret = box.decrypt(encrypted, endpointId);
      opened.set(name, secret);
      return secret;
    },
  };
}

/** A signing secret. Until `previousUntil` (ISO 8601) the previous secret also signs. */
export type RevealedSecret = { secret: string; previousUntil: string | null };

/** Returns the secret that signs deliveries to an endpoint. @throws ApiProblem `not_found` */
export function revealSecret(
  database: Database,
  secrets: SigningSecrets,
  endpointId: string,
  asker: Asker,
): Promise<RevealedSecret> {
  return actOnEndpoint(database, endpointId, asker, async (transaction) => {
    const found = await selectSecret(transaction, endpointId);
    if (found === undefined) throw noSuchEndpoint();
    return {
      acts: [{ action: 'webhook.secret_revealed' }],
      answer: {
        secret: secrets.open(found.secret_sealed, endpointId),
        previousUntil: found.previous_until?.toISOString() ?? null,
      },
    };
  });
}

/** Gives an endpoint a new secret. For a day the old one also signs. @throws ApiProblem `not_found` */
export function rotateSecret(
  database: Database,
  secrets: SigningSecrets,
  endpointId: string,
  asker: Asker,
): Promise<RevealedSecret> {
  const { secret, encrypted } = secrets.create(endpointId);
  return actOnEndpoint(database, endpointId, asker, async (transaction) => {
    await replaceSecret(transaction, endpointId, encrypted, overlapSeconds);
    const now = await selectSecret(transaction, endpointId);
    return {
      acts: [{ action: 'webhook.secret_rotated' }],
      answer: { secret, previousUntil: now?.previous_until?.toISOString() ?? null },
    };
  });
}
