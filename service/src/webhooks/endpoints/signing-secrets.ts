import { signingSecretPrefix } from '@renderkit/contract/v1/identifiers.ts';
import { randomBase62 } from '@renderkit/server-kit/ids.ts';
import { createSecretBox } from '@renderkit/server-kit/secrets.ts';
import { LRUCache } from 'lru-cache';

export type SigningSecrets = {
  /** A new secret, and as it is stored. */
  create: (endpointId: string) => { secret: string; sealed: string };
  /** @throws UndecipherableSecret */
  open: (sealed: string, endpointId: string) => string;
};

/** About 190 bits. */
const secretCharacters = 32;
/** Opened secrets that are kept at hand: opening one took a tenth of a delivery. */
const mostOpened = 1_000;

/** Makes and opens the secrets that deliveries are signed with; what is stored is bound to its endpoint. */
export function signingSecrets(secretKey: Buffer): SigningSecrets {
  const box = createSecretBox(secretKey, 'webhook signing');
  const opened = new LRUCache<string, string>({ max: mostOpened });
  return {
    create: (endpointId) => {
      const secret = signingSecretPrefix + randomBase62(secretCharacters);
      return { secret, sealed: box.seal(secret, endpointId) };
    },
    open: (sealed, endpointId) => {
      // What a ciphertext says never changes: this cannot be out of date.
      const name = `${endpointId} ${sealed}`;
      const secret = opened.get(name) ?? box.open(sealed, endpointId);
      opened.set(name, secret);
      return secret;
    },
  };
}
