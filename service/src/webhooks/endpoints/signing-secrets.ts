import { signingSecretPrefix } from '@renderkit/contract/v1/identifiers.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { randomBase62 } from '@renderkit/server-kit/ids.ts';
import { createSecretBox } from '@renderkit/server-kit/secrets.ts';
import { LRUCache } from 'lru-cache';
import type { Asker } from '../../identity/audit/actor.ts';
import { actOnEndpoint, noSuchEndpoint } from './act-on-endpoint.ts';
import { replaceSecret, selectSecret } from './store.ts';

export type SigningSecrets = {
  /** A new secret, and as it is stored. */
  create: (endpointId: string) => { secret: string; encrypted: string };
  /** @throws DecryptionError */
  open: (encrypted: string, endpointId: string) => string;
};

/** About 190 bits. */
const secretCharacters = 32;
/** Decrypted secrets that are cached: opening one took a tenth of a delivery. */
const maxOpened = 1_000;
/** How long deliveries carry a signature of the old secret too. */
const overlapSeconds = 24 * 60 * 60;

/** Makes and opens the secrets that deliveries are signed with; what is stored is bound to its endpoint. */
export function signingSecrets(secretKey: Buffer): SigningSecrets {
  const box = createSecretBox(secretKey, 'webhook signing');
  const opened = new LRUCache<string, string>({ max: maxOpened });
  return {
    create: (endpointId) => {
      const secret = signingSecretPrefix + randomBase62(secretCharacters);
      return { secret, encrypted: box.encrypt(secret, endpointId) };
    },
    open: (encrypted, endpointId) => {
      // What a ciphertext holds never changes: this cannot be out of date.
      const name = `${endpointId} ${encrypted}`;
      const known = opened.get(name);
      if (known !== undefined) return known;
      const secret = box.decrypt(encrypted, endpointId);
      opened.set(name, secret);
      return secret;
    },
  };
}

/** A signing secret; `previousUntil` (ISO 8601): until then the one before it signs too. */
export type RevealedSecret = { secret: string; previousUntil: string | null };

/** The secret that deliveries to an endpoint are signed with. @throws ApiProblem `not_found` */
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

/** Gives an endpoint a new secret; for a day the old one signs too. @throws ApiProblem `not_found` */
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
