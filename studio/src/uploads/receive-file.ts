import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FileLimits } from '@renderkit/media-kit/file-limits.ts';
import { freeBytes } from '@renderkit/server-kit/http/byte-buffer.ts';
import { type Pace, pacedBody } from '@renderkit/server-kit/http/paced-body.ts';
import type { BlobStorage, ReceivedBlob } from '@renderkit/blob-storage/blob-storage.ts';
import type { Reservation } from '../storage/reserve.ts';

type ByteLimits = Pick<FileLimits, 'imageBytes' | 'videoBytes' | 'audioBytes'>;

/** More bytes than a file of its kind may have; what is left of it stays unread. */
export class FileTooLarge extends Error {
  override name = 'FileTooLarge';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the file has more than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/**
 * Streams the body of a request into a folder of the storage, never more than a chunk of it in memory. `reserve` is called
 * with the bytes that are known to come, and what it answers covers each chunk before it is written.
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
    /** What the sender said of the length, where its request does not say it. */
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

/** Where MP4 and MOV say what they are. */
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
 * By the first bytes alone: the kind is checked when the file is there, this only keeps what can be no video from
 * being as long as one. MP4 and MOV have the name of a box after its length.
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
