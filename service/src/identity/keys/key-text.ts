import { hash } from 'node:crypto';
import {
  apiKeyPattern,
  apiKeyPrefix,
  apiKeyPublicIdCharacters,
  apiKeySecretCharacters,
} from '@renderkit/contract/v1/identifiers.ts';
import { randomBase62 } from '@renderkit/server-kit/ids.ts';

/** What identifies an API key in the database: its public part, and the SHA-256 of its secret part in hexadecimal. */
export type KeyProof = { publicId: string; secretSha256: string };

/**
 * Returns `undefined` when the text does not have exactly the shape of a key (docs/api.md §5). `countRequests` in
 * `service/src/identity/admission/store.ts` compares the proof with the stored one.
 */
export function proofOf(key: string): KeyProof | undefined {
  if (!apiKeyPattern.test(key)) return undefined;
  const secretAt = apiKeyPrefix.length + apiKeyPublicIdCharacters + 1;
  return {
    publicId: key.slice(apiKeyPrefix.length, secretAt - 1),
    secretSha256: hash('sha256', key.slice(secretAt), 'hex'),
  };
}

/** Makes a new key. Its text is shown once; only the proof is stored. */
export function newKeyText(): { key: string; proof: KeyProof } {
  const publicId = randomBase62(apiKeyPublicIdCharacters);
  const secret = randomBase62(apiKeySecretCharacters);
  return {
    key: `${apiKeyPrefix}${publicId}_${secret}`,
    proof: { publicId, secretSha256: hash('sha256', secret, 'hex') },
  };
}
