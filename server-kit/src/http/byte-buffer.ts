import { isAscii } from 'node:buffer';

const initialBytes = 512;
const pooledBytes = 4096;
/** A buffer that grows beyond this grows to its likely length at once. Copying megabytes would block all other work. */
const copiedBytes = 64 * 1024;
const nothing = Buffer.alloc(0);

/** Bytes that grow at the end. */
export class ByteBuffer {
  length = 0;
  #bytes: Buffer;
  readonly #likelyBytes: number;

  /** Grows beyond `likelyBytes` only when the content needs it. */
  constructor(likelyBytes = initialBytes) {
    this.#likelyBytes = likelyBytes;
    this.#bytes = Buffer.allocUnsafe(Math.min(likelyBytes, initialBytes));
  }

  push(byte: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length++] = byte;
  }

  /** Adds the bytes from `begin` up to `end`. */
  append(from: Uint8Array, begin: number, end: number): void {
    const size = end - begin;
    if (this.length + size > this.#bytes.length) this.#grow(size);
    // A call into the runtime costs more than to copy a few bytes here.
    if (size < 64) for (let i = begin; i < end; i++) this.#bytes[this.length++] = from[i] as number;
    else {
      this.#bytes.set(from.subarray(begin, end), this.length);
      this.length += size;
    }
  }

  /** Returns the bytes from `begin` to the end. The result is valid until the next byte is added. */
  slice(begin: number): Buffer {
    return this.#bytes.subarray(begin, this.length);
  }

  /** Returns all added bytes, which must be UTF-8, as text. Empties the buffer. */
  takeText(): string {
    const bytes = this.slice(0);
    const text = isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
    freeBytes(this.#bytes);
    this.#bytes = nothing;
    this.length = 0;
    return text;
  }

  #grow(by: number): void {
    const needed = this.length + by;
    const more = needed > copiedBytes ? Math.max(2 * needed, this.#likelyBytes) : 2 * needed;
    const wanted = needed <= this.#likelyBytes ? Math.min(more, this.#likelyBytes) : more;
    // A buffer outside the pool returns its memory at once.
    const grown = wanted > pooledBytes ? Buffer.allocUnsafeSlow(wanted) : Buffer.allocUnsafe(wanted);
    grown.set(this.slice(0));
    freeBytes(this.#bytes);
    this.#bytes = grown;
  }
}

/**
 * Frees the memory of a chunk that nobody reads any more, if the chunk shares its memory with no other. The garbage
 * collector frees it too, but counts only a few kilobytes for each chunk. While 400 MB passed, 40 MB and more stayed
 * unfreed, and collecting them took as much time as forwarding them.
 */
export function freeBytes(chunk: Uint8Array): void {
  const { buffer } = chunk;
  if (buffer instanceof ArrayBuffer && chunk.byteLength === buffer.byteLength) buffer.transfer(0);
}
