import { crc32 } from 'node:zlib';

/** One file of an archive. Its bytes are read only when the archive reaches this file. */
export type ArchivedFile = {
  /** Uses `/` between folders. The names in an archive must be unique. */
  name: string;
  modifiedAt: Date;
  bytes: AsyncIterable<Uint8Array>;
};

type Entry = { name: Buffer; dosTime: number; dosDate: number; crc: number; size: number; offset: number };

/** A size or an offset of this value or more does not fit into 32 bits. */
const beyond32Bits = 0xffff_ffff;
const maxShortCount = 0xffff;
/** Means that sizes follow the bytes and that names are UTF-8. */
const flags = 0x0808;
const plainVersion = 20;
const zip64Version = 45;

/**
 * Returns the bytes of a ZIP archive (PKWARE APPNOTE 6.3). Stores the files without compression, because pictures and
 * videos are compressed already. `service/src/downloads/download-items.ts` chooses the files and their names. Processes
 * one file after another and keeps none in memory, so that an archive may be larger than memory.
 * @throws RangeError for a file of 4 GiB or more
 */
export async function* zipArchive(
  files: Iterable<ArchivedFile> | AsyncIterable<ArchivedFile>,
): AsyncGenerator<Uint8Array, void> {
  const entries: Entry[] = [];
  let offset = 0;
  for await (const file of files) {
    const entry: Entry = {
      name: Buffer.from(file.name),
      ...dosTimeOf(file.modifiedAt),
      crc: 0,
      size: 0,
      offset,
    };
    const head = localHeader(entry);
    yield head;
    for await (const chunk of file.bytes) {
      entry.crc = crc32(chunk, entry.crc);
      entry.size += chunk.byteLength;
      if (entry.size >= beyond32Bits) throw new RangeError('a file of an archive has less than 4 GiB');
      yield chunk;
    }
    const descriptor = dataDescriptor(entry);
    yield descriptor;
    offset += head.length + entry.size + descriptor.length;
    entries.push(entry);
  }
  const directory = Buffer.concat(entries.map(directoryEntry));
  yield directory;
  yield endOfArchive({ count: entries.length, size: directory.length, offset });
}

function localHeader({ name, dosTime, dosDate }: Entry): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x0403_4b50, 0);
  header.writeUInt16LE(plainVersion, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(dosTime, 10);
  header.writeUInt16LE(dosDate, 12);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function dataDescriptor({ crc, size }: Entry): Buffer {
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x0807_4b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  descriptor.writeUInt32LE(size, 8);
  descriptor.writeUInt32LE(size, 12);
  return descriptor;
}

function directoryEntry({ name, dosTime, dosDate, crc, size, offset }: Entry): Buffer {
  const far = offset >= beyond32Bits;
  const extra = far ? zip64Offset(offset) : Buffer.alloc(0);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x0201_4b50, 0);
  entry.writeUInt16LE(zip64Version, 4);
  entry.writeUInt16LE(far ? zip64Version : plainVersion, 6);
  entry.writeUInt16LE(flags, 8);
  entry.writeUInt16LE(dosTime, 12);
  entry.writeUInt16LE(dosDate, 14);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(size, 20);
  entry.writeUInt32LE(size, 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  entry.writeUInt32LE(far ? beyond32Bits : offset, 42);
  return Buffer.concat([entry, name, extra]);
}

function zip64Offset(offset: number): Buffer {
  const extra = Buffer.alloc(12);
  extra.writeUInt16LE(0x0001, 0);
  extra.writeUInt16LE(8, 2);
  extra.writeBigUInt64LE(BigInt(offset), 4);
  return extra;
}

function endOfArchive(directory: { count: number; size: number; offset: number }): Buffer {
  const { count, size, offset } = directory;
  const large = offset >= beyond32Bits || count >= maxShortCount;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(large ? maxShortCount : count, 8);
  end.writeUInt16LE(large ? maxShortCount : count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(large ? beyond32Bits : offset, 16);
  return large ? Buffer.concat([zip64End(directory), end]) : end;
}

function zip64End({ count, size, offset }: { count: number; size: number; offset: number }): Buffer {
  const end = Buffer.alloc(76);
  end.writeUInt32LE(0x0606_4b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(zip64Version, 12);
  end.writeUInt16LE(zip64Version, 14);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(size), 40);
  end.writeBigUInt64LE(BigInt(offset), 48);
  // The offset of the ZIP64 record, for programs that read from the end.
  end.writeUInt32LE(0x0706_4b50, 56);
  end.writeBigUInt64LE(BigInt(offset + size), 64);
  end.writeUInt32LE(1, 72);
  return end;
}

/** Returns the time in UTC, in steps of two seconds, from 1980 on. */
function dosTimeOf(at: Date): { dosTime: number; dosDate: number } {
  const year = Math.min(Math.max(at.getUTCFullYear(), 1980), 2107);
  return {
    dosTime: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    dosDate: ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}
