import { crc32 } from 'node:zlib';

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The signature of a PNG and the chunk IHDR, which must be first. */
const pngHeadBytes = 33;
/** The type of a `uuid` box that holds an XMP packet in an MP4 (XMP specification, part 3). */
const xmpBox = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');

/**
 * Returns the bytes of a PNG or an MP4 with an XMP packet added. `service/src/downloads/recipe.ts` writes the packet.
 * All other bytes stay the same and in the same order. Any other file passes unchanged. Buffers only a few bytes. The
 * file must not contain a packet yet.
 */
export async function* embedXmp(
  bytes: AsyncIterable<Uint8Array>,
  packet: string,
): AsyncGenerator<Uint8Array, void> {
  let head = Buffer.alloc(0);
  let boxes: BoxWalk | undefined;
  for await (const chunk of bytes) {
    if (head.length >= pngHeadBytes) {
      boxes?.pass(chunk);
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < pngHeadBytes) continue;
    const isPng = head.subarray(0, pngSignature.length).equals(pngSignature);
    if (isPng) yield* [head.subarray(0, pngHeadBytes), pngText(packet), head.subarray(pngHeadBytes)];
    else yield head;
    if (head.toString('latin1', 4, 8) !== 'ftyp') continue;
    boxes = new BoxWalk();
    boxes.pass(head);
  }
  if (head.length < pngHeadBytes) yield head;
  // MP4 offsets count from the beginning of the file, so a box at the end changes none of them.
  if (boxes?.isAtEnd === true) yield mp4Box(packet);
}

/** Builds an uncompressed iTXt chunk without a language (PNG specification, 11.3.3.4). */
function pngText(text: string): Buffer {
  const data = Buffer.from(`iTXtXML:com.adobe.xmp\0\0\0\0\0${text}`);
  const chunk = Buffer.alloc(data.length + 8);
  chunk.writeUInt32BE(data.length - 4, 0);
  data.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(data), data.length + 4);
  return chunk;
}

function mp4Box(text: string): Buffer {
  const data = Buffer.from(text);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(8 + xmpBox.length + data.length);
  return Buffer.concat([size, Buffer.from('uuid'), xmpBox, data]);
}

/** Follows the outer boxes of an MP4 (ISO/IEC 14496-12), to find out whether another box may follow the last one. */
class BoxWalk {
  #header = Buffer.alloc(0);
  /** Bytes left in the current box; infinite when the box extends to the end of the file. */
  #bytesLeft = 0;

  /** True when the last box is complete. */
  get isAtEnd(): boolean {
    return this.#bytesLeft === 0 && this.#header.length === 0;
  }

  pass(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      const isHeader = this.#bytesLeft === 0;
      const count = Math.min(isHeader ? this.#missing() : this.#bytesLeft, chunk.length - at);
      if (isHeader) this.#read(chunk.subarray(at, at + count));
      else this.#bytesLeft -= count;
      at += count;
    }
  }

  #missing(): number {
    return this.#headerBytes() - this.#header.length;
  }

  /** A size of 1 means that the real size follows the type, in 64 bits. */
  #headerBytes(): 8 | 16 {
    return this.#header.length >= 8 && this.#header.readUInt32BE(0) === 1 ? 16 : 8;
  }

  #read(part: Uint8Array): void {
    this.#header = Buffer.concat([this.#header, part]);
    if (this.#missing() > 0) return;
    const length = this.#header.length;
    const size = length === 16 ? Number(this.#header.readBigUInt64BE(8)) : this.#header.readUInt32BE(0);
    this.#bytesLeft = size < length ? Number.POSITIVE_INFINITY : size - length;
    this.#header = Buffer.alloc(0);
  }
}
