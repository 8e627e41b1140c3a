import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import { createSecretBox, DecryptionError } from '@renderkit/server-kit/secrets.ts';
import type { BackendRow } from './store.ts';

/**
 * Encrypts and decrypts the secrets of backends with SECRET_KEY. Each is bound to its backend's name: a row's secret
 * cannot be decrypted in another row.
 */
export type BackendSecrets = {
  encrypt: (name: string, field: 'secret' | 'headers', text: string) => string;
  /** @throws EngineFailure, lasting, if the secret was encrypted with another SECRET_KEY */
  read: (row: Pick<BackendRow, 'name' | 'secret' | 'headers'>) => {
    secret: string | undefined;
    headers: Record<string, string>;
  };
};

/** `secretKey`: 32 bytes. */
export function openBackendSecrets(secretKey: Buffer): BackendSecrets {
  const box = createSecretBox(secretKey, 'backends');
  const decrypt = (name: string, field: string, encrypted: string) => {
    try {
      return box.decrypt(encrypted, contextOf(name, field));
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      throw unreadable(`SECRET_KEY is not the one that the secret of ${name} was encrypted with.`, error);
    }
  };
  return {
    encrypt: (name, field, text) => box.encrypt(text, contextOf(name, field)),
    read: ({ name, secret, headers }) => ({
      secret: secret === null ? undefined : decrypt(name, 'secret', secret),
      headers:
        headers === null ? {} : (JSON.parse(decrypt(name, 'headers', headers)) as Record<string, string>),
    }),
  };
}

function contextOf(name: string, field: string): string {
  return `${field} of ${name}`;
}

function unreadable(message: string, cause: unknown): EngineFailure {
  return new EngineFailure(message, {
    blame: 'backend',
    code: 'engine_unavailable',
    sent: 'no',
    lasting: true,
    cause,
  });
}
