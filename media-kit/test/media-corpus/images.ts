import sharp, { type Sharp } from 'sharp';
import { noise } from './make-media.ts';
import type { OddFile } from './odd-file.ts';
import { chunk, deflatedZeros, header, png, pngSignature, rows, uint32 } from './png.ts';

const small = { width: 60, height: 40 };
const isPng = { type: 'image', contentType: 'image/png', extension: 'png', ...small } as const;
const isJpeg = { type: 'image', contentType: 'image/jpeg', extension: 'jpg', ...small } as const;
const upright = { width: 40, height: 60 };

/** Compresses badly, so that there are many bytes to cut off. */
const jpeg = (change: (image: Sharp) => Sharp = (image) => image) =>
  change(sharp(noise(60 * 40 * 3), { raw: { ...small, channels: 3 } }).jpeg()).toBuffer();
const withBytes = (bytes: Buffer, at: number, replacement: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), replacement, bytes.subarray(at + replacement.length)]);
/** EXIF with one directory that has one entry, the orientation; `next` is the offset of the next directory. */
const exif = (orientation: number, next = 0) =>
  Buffer.from(`4d4d002a0000000800010112000300000001${hex(orientation, 4)}0000${hex(next, 8)}`, 'hex');
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
const withSegment = (bytes: Buffer, kind: number, data: Buffer) =>
  Buffer.concat([
    bytes.subarray(0, 2),
    Buffer.from(`ff${hex(kind, 2)}${hex(data.length + 2, 4)}`, 'hex'),
    data,
    bytes.subarray(2),
  ]);
const exifSegment = (tiff: Buffer) => Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
const frameHeader = (bytes: Buffer) => bytes.indexOf(Buffer.from('ffc0', 'hex'));
const scan = (bytes: Buffer) => bytes.indexOf(Buffer.from('ffda', 'hex')) + 14;
const bomb = (megabytes: number) => deflatedZeros(megabytes * 1024 * 1024);
const goodPng = () => png(small);

export const pngs: OddFile[] = [
  { name: 'a good PNG', bytes: goodPng, is: isPng },
  {
    name: 'a bomb of 14,000² pixels',
    bytes: () => png({ width: 14_000, height: 14_000 }),
    refused: 'too_many_pixels',
  },
  {
    name: 'a header of 30,000² pixels',
    bytes: () => png({ width: 30_000, height: 30_000, pixels: rows(1, 1, 24) }),
    refused: 'side_too_long',
  },
  {
    name: 'the largest PNG that is taken',
    bytes: () => png({ width: 7000, height: 7000 }),
    is: { width: 7000 },
  },
  {
    name: 'the longest side that is taken',
    bytes: () => png({ width: 16_384, height: 2 }),
    is: { width: 16_384 },
  },
  { name: 'a PNG without width', bytes: () => png({ width: 0, height: 40 }), refused: 'broken' },
  {
    name: 'a width beyond all numbers',
    bytes: () => png({ width: 2 ** 31, height: 1, pixels: rows(1, 1, 24) }),
    refused: 'side_too_long',
  },
  {
    name: 'text that unpacks to 200 MB',
    bytes: () =>
      png({ ...small, before: [chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), bomb(200)]))] }),
    is: isPng,
  },
  {
    name: 'international text that unpacks to 200 MB',
    bytes: () =>
      png({
        ...small,
        after: [chunk('iTXt', Buffer.concat([Buffer.from('Comment\0\u0001\0\0\0'), bomb(200)]))],
      }),
    is: isPng,
  },
  {
    name: 'a colour profile that unpacks to 200 MB',
    bytes: () => png({ ...small, before: [chunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), bomb(200)]))] }),
    is: isPng,
  },
  {
    name: 'pixels that unpack to 200 MB more',
    bytes: () => png({ ...small, pixels: bomb(200) }),
    is: isPng,
  },
  { name: 'the signature of PNG alone', bytes: () => pngSignature, refused: 'broken' },
  { name: 'a PNG cut in its header', bytes: () => goodPng().subarray(0, 20), refused: 'broken' },
  { name: 'a PNG cut in its pixels', bytes: () => goodPng().subarray(0, 50), refused: 'broken' },
  { name: 'a PNG cut before its end', bytes: () => goodPng().subarray(0, -12), refused: 'broken' },
  { name: 'a PNG that lacks one byte', bytes: () => goodPng().subarray(0, -1), refused: 'broken' },
  {
    name: 'a PNG without pixels',
    bytes: () => Buffer.concat([pngSignature, header(60, 40), chunk('IEND')]),
    refused: 'broken',
  },
  {
    name: 'pixels with a wrong checksum',
    bytes: () => withBytes(goodPng(), goodPng().length - 16, Buffer.alloc(4)),
    undecodable: true,
  },
  { name: 'noise for pixels', bytes: () => png({ ...small, pixels: noise(300) }), undecodable: true },
  { name: 'half of the rows', bytes: () => png({ ...small, pixels: rows(60, 20, 24) }), undecodable: true },
  {
    name: 'a colour type that does not exist',
    bytes: () =>
      Buffer.concat([pngSignature, header(60, 40, 8, 5), chunk('IDAT', rows(60, 40, 24)), chunk('IEND')]),
    undecodable: true,
  },
  {
    name: 'a part as long as numbers go',
    bytes: () =>
      Buffer.concat([pngSignature, header(60, 40), uint32(2 ** 32 - 1), Buffer.from('IDAT'), noise(100)]),
    refused: 'broken',
  },
  {
    name: 'a hundred thousand empty parts',
    bytes: () => png({ ...small, before: Array.from({ length: 100_000 }, () => chunk('tEXt')) }),
    refused: 'broken',
  },
  { name: '16 bits', bytes: () => png({ ...small, bitDepth: 16 }), is: isPng },
  { name: 'grey of one bit', bytes: () => png({ ...small, bitDepth: 1, colourType: 0 }), is: isPng },
  {
    name: 'a palette',
    bytes: () => png({ ...small, colourType: 3, before: [chunk('PLTE', Buffer.from('ff8800', 'hex'))] }),
    is: isPng,
  },
  { name: 'a palette that is missing', bytes: () => png({ ...small, colourType: 3 }), undecodable: true },
  { name: 'an animated PNG', bytes: animatedPng, is: isPng },
  {
    name: 'interlaced',
    bytes: async () => sharp(goodPng()).png({ progressive: true }).toBuffer(),
    is: isPng,
  },
  {
    name: 'turned by EXIF',
    bytes: () => png({ ...small, before: [chunk('eXIf', exif(6))] }),
    is: { ...isPng, ...upright },
  },
  {
    name: 'a PNG that is a page as well',
    bytes: () => Buffer.concat([goodPng(), Buffer.from('<html><script>alert(1)</script>')]),
    is: isPng,
  },
  {
    name: 'a PNG that is an archive as well',
    bytes: () => Buffer.concat([goodPng(), Buffer.from('504b0304', 'hex'), noise(200)]),
    is: isPng,
  },
];

export const jpegs: OddFile[] = [
  { name: 'a good JPEG', bytes: async () => jpeg(), is: isJpeg },
  {
    name: 'progressive',
    bytes: async () => jpeg((image) => image.jpeg({ progressive: true })),
    is: isJpeg,
  },
  { name: 'grey', bytes: async () => jpeg((image) => image.greyscale()), is: isJpeg },
  { name: 'CMYK', bytes: async () => jpeg((image) => image.toColourspace('cmyk')), is: isJpeg },
  {
    name: 'turned by EXIF',
    bytes: async () => withSegment(await jpeg(), 0xe1, exifSegment(exif(8))),
    is: { ...isJpeg, ...upright },
  },
  {
    name: 'mirrored by EXIF',
    bytes: async () => withSegment(await jpeg(), 0xe1, exifSegment(exif(2))),
    is: isJpeg,
  },
  {
    name: 'an orientation that does not exist',
    bytes: async () => withSegment(await jpeg(), 0xe1, exifSegment(exif(77))),
    is: isJpeg,
  },
  {
    name: 'EXIF that goes in circles',
    bytes: async () => withSegment(await jpeg(), 0xe1, exifSegment(exif(6, 8))),
    is: { ...isJpeg, ...upright },
  },
  {
    name: 'EXIF that points far outside',
    bytes: async () => withSegment(await jpeg(), 0xe1, exifSegment(Buffer.from('4d4d002affffffff', 'hex'))),
    is: isJpeg,
  },
  {
    name: 'EXIF of 65,535 entries',
    bytes: async () =>
      withSegment(
        await jpeg(),
        0xe1,
        exifSegment(Buffer.concat([Buffer.from('4d4d002a00000008ffff', 'hex'), noise(20_000)])),
      ),
    is: isJpeg,
  },
  {
    name: 'a page in a comment',
    bytes: async () => withSegment(await jpeg(), 0xfe, Buffer.from('<svg onload=alert(1)>')),
    is: isJpeg,
  },
  {
    name: 'a JPEG that is a page as well',
    bytes: async () => Buffer.concat([await jpeg(), Buffer.from('<html><script>alert(1)</script>')]),
    is: isJpeg,
  },
  { name: 'the first bytes of JPEG alone', bytes: () => Buffer.from('ffd8ff', 'hex'), refused: 'broken' },
  { name: 'a JPEG cut in its head', bytes: async () => (await jpeg()).subarray(0, 100), refused: 'broken' },
  {
    name: 'a JPEG cut in its pixels',
    bytes: async () => (await jpeg()).subarray(0, 1500),
    refused: 'broken',
  },
  {
    name: 'a JPEG without its last byte',
    bytes: async () => (await jpeg()).subarray(0, -1),
    refused: 'broken',
  },
  {
    name: 'a JPEG without pixels',
    bytes: () => Buffer.from('ffd8ffe000044a46ffd9', 'hex'),
    refused: 'broken',
  },
  {
    name: 'a side as long as numbers go',
    bytes: async () => resized(await jpeg(), 65_535, 60),
    refused: 'side_too_long',
  },
  {
    name: 'a hundred million pixels in the head alone',
    bytes: async () => resized(await jpeg(), 10_000, 10_000),
    refused: 'too_many_pixels',
  },
  { name: 'no height', bytes: async () => resized(await jpeg(), 60, 0), refused: 'broken' },
  {
    name: 'twice the rows that are there',
    bytes: async () => resized(await jpeg(), 60, 80),
    undecodable: true,
  },
  { name: 'noise for pixels', bytes: async () => noisyScan(await jpeg()), undecodable: true },
  { name: 'tables that are missing', bytes: async () => withoutTables(await jpeg()), undecodable: true },
];

function animatedPng(): Buffer {
  const control = (sequence: number) =>
    chunk(
      'fcTL',
      Buffer.concat([
        uint32(sequence),
        uint32(60),
        uint32(40),
        Buffer.alloc(8),
        Buffer.from([0, 1, 0, 10, 0, 0]),
      ]),
    );
  return png({
    ...small,
    before: [chunk('acTL', Buffer.concat([uint32(2), uint32(0)])), control(0)],
    after: [control(1), chunk('fdAT', Buffer.concat([uint32(2), rows(60, 40, 24)]))],
  });
}

function resized(bytes: Buffer, width: number, height: number): Buffer {
  return withBytes(bytes, frameHeader(bytes) + 5, Buffer.from(`${hex(height, 4)}${hex(width, 4)}`, 'hex'));
}

function noisyScan(bytes: Buffer): Buffer {
  const start = scan(bytes);
  const coded = noise(bytes.length - start - 2).map((byte) => (byte === 0xff ? 0x7f : byte));
  return withBytes(bytes, start, Buffer.from(coded));
}

/** Turns the quantization tables into comments. */
function withoutTables(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf('ffdb', 0, 'hex'); at !== -1; at = copy.indexOf('ffdb', at + 2, 'hex'))
    copy[at + 1] = 0xfe;
  return copy;
}
