import { argon2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

// OWASP's second choice for argon2id: 19 MiB, two passes, one lane.
const parameters = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const derive = promisify(argon2);

/** Hashes a password with argon2id (RFC 9106); the result contains the parameters and the salt. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive('argon2id', { message: Buffer.from(password, 'utf8'), nonce, ...parameters });
  return write(nonce, tag);
}

/** A hash that no password matches. To verify a password with it costs the same as with a real hash. */
export const nobodysHash = write(Buffer.alloc(16), Buffer.alloc(parameters.tagLength));

/** Returns `false` for a wrong password and for an invalid hash. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  if (match === null) return false;
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  const expected = Buffer.from(tag, 'base64');
  const actual = await derive('argon2id', {
    message: Buffer.from(password, 'utf8'),
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

// Without letters and digits that look like others.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Generates a one-time password to give to somebody: 20 characters in groups, 99 bits. */
export function generatePassword(): string {
  const group = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return Array.from({ length: 4 }, group).join('-');
}

function write(nonce: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = parameters;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
