import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { freeBytes } from '@renderkit/server-kit/http/free-bytes.ts';
import { type Pace, pacedBody } from '@renderkit/server-kit/http/paced-body.ts';
import type { FileLimits } from '../media/file-limits.ts';
import type { ReceivedFile, Storage } from '../storage/storage.ts';

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
 * Streams the body of a request into a folder of the storage, never more than a chunk of it in memory.
 * @throws FileTooLarge
 * @throws SenderLost
 */
export async function receiveFile(
  request: IncomingMessage,
  storage: Storage,
  folder: string,
  limits: ByteLimits,
  pace: Pace,
): Promise<{ file: ReceivedFile; sha256: string }> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.videoBytes) throw new FileTooLarge(limits.videoBytes);
  const hash = createHash('sha256');
  const file = await storage.receive(folder, judged(pacedBody(request, pace), limits, hash));
  return { file, sha256: hash.digest('hex') };
}

/** Where MP4 and MOV say what they are. */
const headBytes = 12;

async function* judged(
  chunks: AsyncIterable<Buffer>,
  limits: ByteLimits,
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
    hash.update(chunk);
    yield chunk;
    freeBytes(chunk);
  }
}

/**
 * By the first bytes alone: the kind is judged when the file is there, this only keeps what can be no video from
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
