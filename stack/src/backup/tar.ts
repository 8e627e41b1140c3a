import { createHash } from 'node:crypto';

// Reads and writes POSIX.1-1988 ustar with pax names (POSIX.1-2001), which every `tar` can read. A separate
// implementation, because a truncated backup must never count as complete: `tar-stream` accepts an archive that was cut
// off between two entries, and stops at a file that shrinks while it is copied.

const blockBytes = 512;
const maxSize = 8 ** 11 - 1;

export type TarEntry = {
  /** Relative, with forward slashes; directories end with one. */
  name: string;
  /** Bytes of content; 0 for directories. */
  size: number;
  mode: number;
};

/** Returns the blocks before an entry's content. */
export function tarHeader(entry: TarEntry): Buffer {
  if (entry.size > maxSize) throw new RangeError(`${entry.name} is larger than an archive can hold`);
  if (Buffer.byteLength(entry.name) <= 100) return header(entry, entry.name.endsWith('/') ? '5' : '0');
  const record = paxRecord('path', entry.name);
  const short = createHash('sha256').update(entry.name).digest('hex');
  return Buffer.concat([
    header({ name: `pax/${short}`, size: record.length, mode: 0o600 }, 'x'),
    record,
    padding(record.length),
    header({ ...entry, name: short }, entry.name.endsWith('/') ? '5' : '0'),
  ]);
}

/** Returns the bytes that fill an entry's content up to whole blocks. */
export function padding(size: number): Buffer {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);
}

/** The two empty blocks at the end. */
export const tarEnd = Buffer.alloc(2 * blockBytes);

function header({ name, size, mode }: TarEntry, type: string): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name, 0, 100);
  block.write(octal(mode & 0o7777, 7), 100);
  // The owner of the files is decided when they are restored.
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write('ustar\u000000', 257);
  block.write(octal(checksum(block), 6), 148);
  return block;
}

function checksum(block: Buffer): number {
  return block.reduce((sum, byte) => sum + byte, 0);
}

function paxRecord(key: string, value: string): Buffer {
  // The length at the front includes its own digits.
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (length !== Buffer.byteLength(`${length}${rest}`)) length = Buffer.byteLength(`${length}${rest}`);
  return Buffer.from(`${length}${rest}`);
}

/** An entry while an archive is read. The caller must read `content` to its end before the next entry. */
export type ReadTarEntry = TarEntry & { content: AsyncIterable<Buffer> };

/** The archive is cut off, or the file is not an archive. */
export class BrokenArchive extends Error {
  override name = 'BrokenArchive';
}

/** Reads an archive's entries in order. @throws BrokenArchive */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<ReadTarEntry> {
  const input = byteReader(source);
  let longName: string | undefined;
  for (;;) {
    const block = await input.exactly(blockBytes);
    if (block.every((byte) => byte === 0)) return;
    const { type, ...entry } = readHeader(block);
    if (type === 'x') {
      longName = /^\d+ path=(.*)\n$/s.exec((await input.exactly(entry.size)).toString())?.[1];
      await input.exactly(padding(entry.size).length);
      continue;
    }
    yield { ...entry, name: longName ?? entry.name, content: input.upTo(entry.size) };
    await input.exactly(padding(entry.size).length);
    longName = undefined;
  }
}

function readHeader(block: Buffer): TarEntry & { type: string } {
  const field = (at: number, length: number) => block.toString('utf8', at, at + length).replace(/\0.*$/s, '');
  const claimed = Number.parseInt(field(148, 8), 8);
  const copy = Buffer.from(block);
  copy.write('        ', 148);
  if (checksum(copy) !== claimed) throw new BrokenArchive('a header is damaged');
  return {
    name: field(0, 100),
    mode: Number.parseInt(field(100, 8), 8),
    size: Number.parseInt(field(124, 12), 8),
    type: field(156, 1),
  };
}

function byteReader(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const more = async () => {
    const { value, done } = await chunks.next();
    if (done === true) throw new BrokenArchive('the archive is cut off');
    return value;
  };
  return {
    exactly: async (size: number): Promise<Buffer> => {
      while (rest.length < size) rest = Buffer.concat([rest, await more()]);
      const taken = rest.subarray(0, size);
      rest = rest.subarray(size);
      return taken;
    },
    upTo: async function* (size: number): AsyncGenerator<Buffer> {
      for (let left = size; left > 0;) {
        if (rest.length === 0) rest = await more();
        const taken = rest.subarray(0, left);
        rest = rest.subarray(taken.length);
        left -= taken.length;
        yield taken;
      }
    },
  };
}
