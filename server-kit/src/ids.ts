import { randomBytes } from 'node:crypto';

// Crockford's alphabet in lower case: no i, l, o, u to misread; its order is the order of the digits.
const base32 = '0123456789abcdefghjkmnpqrstvwxyz';
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `prefix` + 26 characters: 48 bits of milliseconds, then 80 random bits. Later ids sort later. */
export function newId(prefix: string, now: number = Date.now()): string {
  let time = '';
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = base32[rest % 32] + time;
  let random = '';
  // 16 characters of 5 bits from 10 bytes.
  let bits = 0;
  let value = 0;
  for (const byte of randomBytes(10)) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      random += base32[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return prefix + time + random;
}

/** `length` characters drawn evenly from 0-9, A-Z, a-z. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 × 62: larger bytes would favour the first letters.
      if (byte < 248 && text.length < length) text += base62[byte % 62];
    }
  }
  return text;
}
