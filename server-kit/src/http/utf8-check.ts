import { isUtf8 } from 'node:buffer';

/** Says of bytes that come in pieces whether they are UTF-8; a character may be cut by the end of a piece. */
export class Utf8Check {
  /** The beginning of a character whose end has not come yet. */
  #begun: number[] = [];

  /** False once what has come cannot be the beginning of UTF-8. */
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

  /** Whether the last character is whole. */
  get whole(): boolean {
    return this.#begun.length === 0;
  }
}

/** How many bytes at the end are the beginning of a character that goes on. */
function cutAtEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Of the character that this byte begins; of what begins none it does not matter. */
function lengthOf(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
