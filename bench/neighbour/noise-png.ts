import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** Returns a grey square of noise that cannot be compressed. It has a few more bytes than pixels (`side` × `side`). */
export function noisePng(side: number): Buffer {
  const rows = randomBytes((side + 1) * side);
  // Each row begins with its filter: none.
  for (let row = 0; row < side; row++) rows[row * (side + 1)] = 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 8;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 0 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
