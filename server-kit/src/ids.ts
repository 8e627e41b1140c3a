import { randomBytes, randomFillSync } from 'node:crypto';

// Crockford's alphabet in lower case. It omits i, l, o and u, which are easy to misread. Its characters sort by their
// values.
const base32 = '0123456789abcdefghjkmnpqrstvwxyz';
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const randomBytesPerId = 10;
// Random bytes are read from the system in bulk, because one read costs as much as the rest of an id.
const pool = Buffer.allocUnsafe(randomBytesPerId * 256);
let poolUsed = pool.length;
let lastTime = -1;
let lastTimeText = '';

/** `prefix` + 26 characters: 48 bits of milliseconds, then 80 random bits. Later ids sort later. */
export function newId(prefix: string, now: number = Date.now()): string {
  if (now !== lastTime) {
    lastTime = now;
    lastTimeText = '';
    for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32))
      lastTimeText = base32[rest % 32] + lastTimeText;
  }
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  let id = prefix + lastTimeText;
  // 16 characters of 5 bits from 10 bytes.
  let bits = 0;
  let value = 0;
  for (const end = poolUsed + randomBytesPerId; poolUsed < end; poolUsed++) {
    value = (value << 8) | (pool[poolUsed] as number);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      id += base32[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return id;
}

/** Returns `length` random characters from 0-9, A-Z, a-z, all equally likely. */
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
