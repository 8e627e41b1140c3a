import { isUtf8 } from 'node:buffer';

/** Checks whether bytes that arrive in pieces are UTF-8. A piece may end inside a character. */
export class Utf8Check {
  /** The first bytes of a character whose remaining bytes have not arrived yet. */
  #begun: number[] = [];

  /** Adds bytes. Returns false once they cannot be the beginning of UTF-8. */
  add(bytes: Uint8Array): boolean {
    let begin = 0;
    while (this.#begun.length > 0 && begin < bytes.length) {
      this.#begun.push(bytes[begin++] as number);
      if (this.#begun.length < lengthOf(this.#begun[0] as number)) continue;
      if (!isUtf8(Uint8Array.from(this.#begun))) return false;
      this.#begun = [];
    }
    const end = Math.max(begin, bytes.length - cutAtEnd(bytes));
    for (let i = end; i < bytes.length; i++) this.#begun.push(bytes[i] as number);
    return isUtf8(bytes.subarray(begin, end));
  }

  /** True when the last character is complete. */
  get whole(): boolean {
    return this.#begun.length === 0;
  }
}

/** Returns how many bytes at the end belong to an incomplete character. */
function cutAtEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/**
 * Returns the length of the character that this byte begins. For a byte that begins no character, the result does not
 * matter.
 */
function lengthOf(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
