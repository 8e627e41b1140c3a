import { constants, crc32, deflateRawSync } from 'node:zlib';

const zerosAtOnce = 1024 * 1024;

export const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

/** Channels of each kind of pixels, by its number in the header. */
const channelsOf = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

export type PngOptions = {
  width: number;
  height: number;
  bitDepth?: number;
  colourType?: keyof typeof channelsOf;
  /** Chunks between the header and the pixels. */
  before?: Buffer[];
  after?: Buffer[];
  pixels?: Buffer;
};

export function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

/** Makes a PNG of one colour. */
export function png(options: PngOptions): Buffer {
  const { width, height, bitDepth = 8, colourType = 2, before = [], after = [] } = options;
  const pixels = options.pixels ?? rows(width, height, bitDepth * channelsOf[colourType]);
  return Buffer.concat([
    pngSignature,
    header(width, height, bitDepth, colourType),
    ...before,
    chunk('IDAT', pixels),
    ...after,
    chunk('IEND'),
  ]);
}

export function header(width: number, height: number, bitDepth = 8, colourType = 2): Buffer {
  return chunk(
    'IHDR',
    Buffer.concat([uint32(width), uint32(height), Buffer.from([bitDepth, colourType, 0, 0, 0])]),
  );
}

/** Returns deflated rows of zeros, each with its filter byte. */
export function rows(width: number, height: number, bitsPerPixel: number): Buffer {
  return deflatedZeros((Math.ceil((width * bitsPerPixel) / 8) + 1) * height);
}

/** Returns this many zeros, deflated, without ever having all of them in memory (RFC 1950 and 1951). */
export function deflatedZeros(count: number): Buffer {
  const block = (size: number) =>
    deflateRawSync(Buffer.alloc(size), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const whole = block(zerosAtOnce);
  const blocks = Array.from({ length: Math.floor(count / zerosAtOnce) }, () => whole);
  const checksum = uint32((count % 65_521) * 65_536 + 1);
  const lastBlock = Buffer.from('0300', 'hex');
  return Buffer.concat([
    Buffer.from('78da', 'hex'),
    ...blocks,
    block(count % zerosAtOnce),
    lastBlock,
    checksum,
  ]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
