import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FileLimits } from '@renderkit/media-kit/file-limits.ts';
import { freeBytes } from '@renderkit/server-kit/http/byte-buffer.ts';
import { type Pace, pacedBody } from '@renderkit/server-kit/http/paced-body.ts';
import type { BlobStorage, ReceivedBlob } from '@renderkit/blob-storage/blob-storage.ts';
import type { Reservation } from '../storage/reserve.ts';

type ByteLimits = Pick<FileLimits, 'imageBytes' | 'videoBytes' | 'audioBytes'>;

/** The file has more bytes than its kind allows. The rest of the file stays unread. */
export class FileTooLarge extends Error {
  override name = 'FileTooLarge';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the file has more than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/**
 * Streams the body of a request into a folder of the storage, with at most one chunk in memory. Calls `reserve` with
 * the announced bytes; the reservation must cover each chunk before it is written. `media-kit/src/file-limits.ts` has
 * the sizes, which `studio/src/config.ts` may lower.
 * @throws FileTooLarge
 * @throws StudioError `storage_full`
 * @throws SenderLost
 */
export async function receiveFile(
  request: IncomingMessage,
  storage: BlobStorage,
  folder: string,
  options: {
    limits: ByteLimits;
    pace: Pace;
    /** The length that the sender announced, for a request without a content length. */
    minBytes: number;
    reserve: (minBytes: number) => Promise<Reservation>;
  },
): Promise<{ file: ReceivedBlob; sha256: string }> {
  const { limits } = options;
  const announced = Number(request.headers['content-length'] ?? options.minBytes);
  if (announced > limits.videoBytes) throw new FileTooLarge(limits.videoBytes);
  const reservation = await options.reserve(announced);
  const hash = createHash('sha256');
  const chunks = checked(pacedBody(request, options.pace), limits, reservation, hash);
  const file = await storage.receive(folder, chunks);
  return { file, sha256: hash.digest('hex') };
}

/** MP4 and MOV name their type in these bytes. */
const headBytes = 12;

async function* checked(
  chunks: AsyncIterable<Buffer>,
  limits: ByteLimits,
  reservation: Reservation,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let head = Buffer.alloc(0);
  let limit = Number.POSITIVE_INFINITY;
  for await (const chunk of chunks) {
    if (head.length < headBytes) {
      head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)]);
      limit = limitOf(head, limits);
    }
    size += chunk.length;
    if (size > limit) throw new FileTooLarge(limit);
    await reservation.cover(size);
    hash.update(chunk);
    yield chunk;
    freeBytes(chunk);
  }
}

/**
 * Returns the limit by the first bytes alone. The kind is checked when the file is complete; this only prevents other
 * files from being as large as a video. In MP4 and MOV, the name of a box follows its length.
 */
function limitOf(firstBytes: Buffer, limits: ByteLimits): number {
  if (firstBytes.length < headBytes) return limits.videoBytes;
  const box = firstBytes.toString('latin1', 4, 8);
  const brand = firstBytes.toString('latin1', 8, 11);
  if (box === 'ftyp' && /^(M4A|M4B|F4A)/.test(brand)) return limits.audioBytes;
  return /^(ftyp|moov|mdat|wide|free|skip|pnot)$/.test(box)
    ? limits.videoBytes
    : Math.max(limits.imageBytes, limits.audioBytes);
}
