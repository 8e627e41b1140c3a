import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, stat } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { ffmpeg } from '@renderkit/media-kit/ffmpeg.ts';

/** Writes a short playable video; a box that players skip makes it as large as requested. */
export async function writeVideo(file: string, bytes: number): Promise<void> {
  await ffmpeg(
    '-f lavfi -i testsrc=size=320x180:rate=10:duration=2 -pix_fmt yuv420p -c:v libx264 -f mp4 out.mp4'.split(
      ' ',
    ),
    {
      inputs: {},
      outputs: { 'out.mp4': file },
      signal: AbortSignal.timeout(60_000),
      timeoutMs: 60_000,
      maxOutputBytes: 10_000_000,
    },
  );
  const { size } = await stat(file);
  const handle = await open(file, 'a');
  try {
    const box = Buffer.alloc(8);
    box.writeUInt32BE(bytes - size, 0);
    box.write('free', 4, 'latin1');
    await handle.write(box);
    const piece = randomBytes(1_000_000);
    for (let left = bytes - size - 8; left > 0; left -= piece.length)
      await handle.write(piece.subarray(0, Math.min(left, piece.length)));
  } finally {
    await handle.close();
  }
}

/**
 * Sends a file between `head` and `tail` and returns the answer's JSON.
 * @throws if the status is not the expected one
 */
export async function send(
  url: string,
  sent: {
    method: string;
    headers: Record<string, string>;
    file: string;
    head?: string;
    tail?: string;
    status: number;
  },
): Promise<Record<string, unknown>> {
  const { head = '', tail = '' } = sent;
  const { size } = await stat(sent.file);
  const call = request(url, {
    method: sent.method,
    headers: { ...sent.headers, 'content-length': size + Buffer.byteLength(head) + Buffer.byteLength(tail) },
  });
  const answered = once(call, 'response').then(async ([response]) => {
    const text = await readText(response as IncomingMessage);
    const { statusCode } = response as IncomingMessage;
    if (statusCode !== sent.status) throw new Error(`an upload was answered ${statusCode}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  });
  call.write(head);
  const [answer] = await Promise.all([answered, writeFile(sent.file, call).then(() => call.end(tail))]);
  return answer;
}

const pieceBytes = 256 * 1024;
const pieces = 4;

/**
 * Writes the file from reused buffers. With streams the client took as much processor time as the studio, on shared
 * cores; real clients are on other machines.
 */
async function writeFile(file: string, call: ClientRequest): Promise<void> {
  await using handle = await open(file);
  const free = Array.from({ length: pieces }, () => Buffer.allocUnsafeSlow(pieceBytes));
  let wake: () => void = () => undefined;
  for (;;) {
    const piece = free.pop();
    if (piece === undefined) {
      await new Promise<void>((resolve) => (wake = resolve));
      continue;
    }
    const { bytesRead } = await handle.read(piece, 0, pieceBytes);
    if (bytesRead === 0) return;
    call.write(piece.subarray(0, bytesRead), () => {
      free.push(piece);
      wake();
    });
  }
}
