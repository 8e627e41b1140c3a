import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { RateFloor } from '@renderkit/server-kit/egress/rate-floor.ts';
import type { ReceivedFile, Storage } from '../storage/storage.ts';

/** The most bytes that a file of what it seems to be may have. */
export type ByteLimits = { imageBytes: number; videoBytes: number; audioBytes: number };

/** The pace below which a sender is cut off: bytes in a second on average over a window. */
export type Pace = { minBytesPerSecond: number; windowMs: number };

/** More bytes than a file of its kind may have; what is left of it stays unread. */
export class FileTooLarge extends Error {
  override name = 'FileTooLarge';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the file has more than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/** The sender went away, fell silent or was too slow. */
export class FileCutShort extends Error {
  override name = 'FileCutShort';
}

/**
 * Streams the body of a request into a folder of the storage, never more than a chunk of it in memory.
 * @throws FileTooLarge
 * @throws FileCutShort
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
  const file = await storage.receive(folder, watched(request, limits, pace, hash));
  return { file, sha256: hash.digest('hex') };
}

async function* watched(
  request: IncomingMessage,
  limits: ByteLimits,
  pace: Pace,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  let tooSlow = false;
  using floor = new RateFloor(pace.minBytesPerSecond, pace.windowMs, () => {
    tooSlow = true;
    request.destroy();
  });
  // A file that is refused half way leaves the connection to the answer.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  let size = 0;
  let limit = Number.POSITIVE_INFINITY;
  for (;;) {
    floor.wait();
    const next = await chunks.next().catch((cause: unknown) => {
      throw new FileCutShort(tooSlow ? 'the file came too slowly' : 'the file ended too soon', { cause });
    });
    const chunk = next.done === true ? undefined : next.value;
    floor.received(chunk?.length ?? 0);
    if (chunk === undefined) return;
    if (size === 0) limit = limitOf(chunk, limits);
    size += chunk.length;
    if (size > limit) throw new FileTooLarge(limit);
    hash.update(chunk);
    yield chunk;
  }
}

/**
 * By the first bytes alone: the kind is judged when the file is there, this only keeps what can be no video from
 * being as long as one. MP4 and MOV have the name of a box after its length.
 */
function limitOf(firstBytes: Buffer, limits: ByteLimits): number {
  const box = firstBytes.toString('latin1', 4, 8);
  const brand = firstBytes.toString('latin1', 8, 11);
  if (box === 'ftyp' && /^(M4A|M4B|F4A)/.test(brand)) return limits.audioBytes;
  return /^(ftyp|moov|mdat|wide|free|skip|pnot)$/.test(box)
    ? limits.videoBytes
    : Math.max(limits.imageBytes, limits.audioBytes);
}
