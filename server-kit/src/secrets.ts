import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** A ciphertext was made with another key, or was changed. */
export class DecryptionError extends Error {
  override name = 'DecryptionError';
}

export type SecretBox = {
  /** Encrypts for one purpose. `context` binds the ciphertext to its row, so that it cannot be moved to another row. */
  encrypt: (plaintext: string, context: string) => string;
  /** @throws DecryptionError */
  decrypt: (encrypted: string, context: string) => string;
};

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Creates an AES-256-GCM box with a key derived for one purpose from SECRET_KEY (32 bytes) by HKDF (RFC 5869).
 * Ciphertexts are `<key id>.<base64url of nonce, ciphertext, tag>`; the key id shows later which key made them.
 */
export function createSecretBox(secretKey: Buffer, purpose: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', `renderkit ${purpose}`, 32));
  const keyId = keyIdOf(secretKey);
  return {
    encrypt: (plaintext, context) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const bytes = Buffer.concat([
        nonce,
        cipher.update(plaintext, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${keyId}.${bytes.toString('base64url')}`;
    },
    decrypt: (encrypted, context) => {
      const [id, text] = encrypted.split('.');
      if (id !== keyId || text === undefined)
        throw new DecryptionError('the secret was encrypted under another key');
      const bytes = Buffer.from(text, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-tagBytes));
      try {
        return (
          decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
        );
      } catch (error) {
        throw new DecryptionError('the secret was changed or belongs elsewhere', { cause: error });
      }
    },
  };
}

/**
 * Returns eight hexadecimal characters that distinguish one SECRET_KEY from another and reveal nothing about the key.
 * `service/src/preflight/check-secret-key.ts` refuses a start with another key.
 */
export function keyIdOf(secretKey: Buffer): string {
  return createHash('sha256').update('renderkit key id').update(secretKey).digest('hex').slice(0, 8);
}

/** Reads SECRET_KEY: 32 bytes as 64 hexadecimal characters or as base64. Returns `undefined` for anything else. */
export function parseSecretKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
  return bytes?.length === 32 ? bytes : undefined;
}
