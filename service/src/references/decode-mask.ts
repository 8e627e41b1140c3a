import { createHash } from 'node:crypto';
import { yieldEventLoop } from '@renderkit/server-kit/work/yield-event-loop.ts';

/** A PNG that was sent as a data URL. */
export type Mask = {
  /** The SHA-256 of the decoded bytes, in hexadecimal. */
  sha256: string;
  /** The decoded bytes, piece by piece. */
  bytes: () => AsyncGenerator<Buffer>;
};

const prefix = /^data:image\/png;base64,/i;
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Characters that are decoded in one turn of the event loop: a multiple of four. */
const charactersAtOnce = 128 * 1024;
const wholeGroup = /^[A-Za-z0-9+/]{4}$/;
const lastGroup = /^[A-Za-z0-9+/]{2,4}={0,2}$/;

export function isDataUrl(text: string): boolean {
  return /^data:/i.test(text);
}

/**
 * Reads a mask of up to 15 million characters (RFC 2397, RFC 4648 §4) without holding all its bytes in memory. Returns
 * an issue when the mask is invalid. `sameRatio` in `contract/studio/validate-references.ts` compares the mask's
 * ratio with the image's. `media-kit/src/fit-image.ts` restores the image where the mask is black.
 */
export async function readMask(text: string): Promise<Mask | { issue: string }> {
  const begin = prefix.exec(text)?.[0].length;
  if (begin === undefined)
    return { issue: 'must be a PNG as a data URL (data:image/png;base64,…), or the id of an upload' };
  const hash = createHash('sha256');
  let first = true;
  try {
    for await (const piece of decode(text, begin)) {
      if (first && !piece.subarray(0, pngSignature.length).equals(pngSignature))
        return { issue: 'must be a PNG' };
      first = false;
      hash.update(piece);
    }
  } catch (error) {
    if (error instanceof NotBase64) return { issue: 'is not valid base64' };
    throw error;
  }
  if (first) return { issue: 'is empty' };
  return { sha256: hash.digest('hex'), bytes: () => decode(text, begin, { checked: true }) };
}

class NotBase64 extends Error {
  override name = 'NotBase64';
}

async function* decode(text: string, begin: number, { checked = false } = {}): AsyncGenerator<Buffer> {
  if ((text.length - begin) % 4 !== 0) throw new NotBase64('not whole groups of four characters');
  for (let i = begin; i < text.length; i += charactersAtOnce) {
    const began = performance.now();
    const piece = text.slice(i, i + charactersAtOnce);
    const bytes = Buffer.from(piece, 'base64');
    const ending = i + charactersAtOnce < text.length ? wholeGroup : lastGroup;
    if (!checked && !isBase64(piece, bytes, ending))
      throw new NotBase64('characters that base64 does not have');
    const tookMs = performance.now() - began;
    yield bytes;
    await yieldEventLoop(tookMs);
  }
}

/**
 * Returns whether the text is valid Base64. Node's decoder skips invalid characters, so the length shows whether it
 * skipped any. It also accepts `-` and `_` of the URL-safe alphabet, and takes the last eight bits of a character
 * beyond ASCII, so these are checked separately.
 */
function isBase64(text: string, bytes: Buffer, ending: RegExp): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (
    bytes.length === (text.length / 4) * 3 - padding &&
    ending.test(text.slice(-4)) &&
    !text.includes('-') &&
    !text.includes('_') &&
    Buffer.byteLength(text) === text.length
  );
}
