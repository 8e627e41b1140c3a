import { box, findBox, overwrite, replaceBox } from './boxes.ts';
import { makeMedia, noise, once } from './make-media.ts';
import type { OddFile } from './odd-file.ts';
import { uint32 } from './png.ts';

const source = '-f lavfi -i testsrc=size=64x48:rate=10:duration=2';
const h264 = '-pix_fmt yuv420p -c:v libx264 -preset ultrafast -g 10';
/** The description is at the end, so that a longer description moves nothing. */
const video = once(async () => makeMedia(`${source} ${h264}`, 'mp4'));
const faststart = once(async () => makeMedia(`${source} ${h264} -movflags +faststart`, 'mp4'));
const fragmented = once(async () => makeMedia(`${source} ${h264} -movflags frag_keyframe+empty_moov`, 'mp4'));
const audioOnly = once(async () => makeMedia('-f lavfi -i sine=duration=1', 'mp4'));
const quickTime = once(async () => makeMedia(`${source} -c:v mjpeg -pix_fmt yuvj420p`, 'mov'));

const isVideo = {
  type: 'video',
  contentType: 'video/mp4',
  width: 64,
  height: 48,
  durationSeconds: 2,
  hasAudio: false,
} as const;
const table = 'moov/trak/mdia/minf/stbl';
const reference = 'moov/trak/mdia/minf/dinf/dref';
const largest = 0xffff_ffff;

const cut = async (keep: number) => {
  const bytes = await faststart();
  return bytes.subarray(0, Math.floor(bytes.length * keep));
};
const write = (way: string, change: (content: Buffer) => void) => async () =>
  overwrite(await video(), way, change);
const referTo = (address: string) => async () =>
  replaceBox(
    await video(),
    reference,
    box('dref', uint32(0), uint32(1), box('url ', uint32(0), Buffer.from(`${address}\0`))),
  );
/** Rotates by a quarter: the matrix of the track's header. */
const quarterTurn = [0, 0x10000, 0, -0x10000 >>> 0, 0, 0, 0, 0, 0x40000000];

const good: OddFile[] = [
  { name: 'a good MP4', bytes: video, is: isVideo },
  { name: 'a good MP4 with its description in front', bytes: faststart, is: isVideo },
  { name: 'a fragmented MP4', bytes: fragmented, is: isVideo },
  {
    name: 'a MOV of JPEGs',
    bytes: quickTime,
    is: { ...isVideo, contentType: 'video/quicktime', extension: 'mov' },
  },
  {
    name: 'turned by a quarter',
    bytes: write('moov/trak/tkhd', (content) => content.set(Buffer.concat(quarterTurn.map(uint32)), 40)),
    is: { width: 48, height: 64 },
  },
  {
    name: 'an early MOV, which does not name its brand',
    bytes: async () => {
      const bytes = Buffer.from(await quickTime());
      bytes.write('wide', 4);
      return bytes;
    },
    is: { ...isVideo, contentType: 'video/quicktime', extension: 'mov' },
  },
];

const cutShort: OddFile[] = [
  { name: 'an MP4 cut in its description', bytes: async () => cut(0.1), refused: 'broken' },
  { name: 'an MP4 cut in its media', bytes: async () => cut(0.7), refused: 'broken' },
  {
    name: 'an MP4 without its last byte',
    bytes: async () => (await faststart()).subarray(0, -1),
    refused: 'broken',
  },
  {
    name: 'an MP4 without its description',
    bytes: async () => (await video()).subarray(0, findBox(await video(), 'moov').start),
    refused: 'broken',
  },
  {
    name: 'an MP4 of the head alone',
    bytes: async () => (await video()).subarray(0, 32),
    refused: 'broken',
  },
  {
    name: 'a page behind the head of an MP4',
    bytes: async () =>
      Buffer.concat([(await video()).subarray(0, 32), Buffer.from('<!doctype html><html></html>')]),
    refused: 'broken',
  },
];

const lying: OddFile[] = [
  {
    name: 'as many times as numbers go',
    bytes: write(`${table}/stts`, (content) => content.writeUInt32BE(largest, 4)),
    refused: 'broken',
  },
  {
    name: 'as many frames as numbers go',
    bytes: write(`${table}/stsz`, (content) => content.writeUInt32BE(largest, 8)),
    refused: 'broken',
  },
  {
    name: 'a billion frames of no bytes',
    bytes: write(
      `${table}/stsz`,
      (content) => (content.writeUInt32BE(1, 4), content.writeUInt32BE(1_000_000_000, 8)),
    ),
    undecodable: true,
  },
  {
    name: 'a billion frames of one time',
    bytes: write(`${table}/stts`, (content) => content.writeUInt32BE(1_000_000_000, 8)),
    refused: 'too_long',
  },
  {
    name: 'frames that last for years',
    bytes: write(`${table}/stts`, (content) => content.writeUInt32BE(0x7fff_ffff, 12)),
    refused: 'too_long',
  },
  {
    name: 'no length',
    bytes: write(`${table}/stts`, (content) => content.writeUInt32BE(0, 12)),
    refused: 'broken',
  },
  {
    name: 'a clock that stands',
    bytes: write('moov/trak/mdia/mdhd', (content) => content.writeUInt32BE(0, 12)),
    refused: 'broken',
  },
  {
    name: 'frames of two gigabytes each',
    bytes: write(`${table}/stsz`, (content) => content.fill(0x7f, 12)),
    undecodable: true,
  },
  {
    name: 'frames beyond the end of the file',
    bytes: write(`${table}/stco`, (content) => content.fill(0x7f, 8)),
    undecodable: true,
  },
  {
    name: 'no frames in any piece, which decoders mend',
    bytes: write(`${table}/stsc`, (content) => content.fill(0, 8)),
    is: isVideo,
  },
  {
    name: 'noise for media',
    bytes: async () => overwrite(await video(), 'mdat', (content) => content.set(noise(content.length))),
    undecodable: true,
  },
  {
    name: 'zeros for media',
    bytes: async () => overwrite(await video(), 'mdat', (content) => content.fill(0)),
    undecodable: true,
  },
  {
    name: 'a codec that nobody has',
    bytes: write(`${table}/stsd`, (content) => content.write('zzzz', 12)),
    undecodable: true,
  },
  {
    name: 'a codec set up with noise',
    bytes: write(`${table}/stsd`, (content) => content.set(noise(30), content.indexOf('avcC') + 4)),
    undecodable: true,
  },
  {
    name: 'frames of 65,535² pixels',
    bytes: write(`${table}/stsd`, (content) => content.fill(0xff, 40, 44)),
    refused: 'side_too_long',
  },
];

const oddlyBuilt: OddFile[] = [
  { name: 'audio alone in an MP4', bytes: audioOnly, refused: 'no_video_track' },
  {
    name: 'a description of nothing',
    bytes: () =>
      Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0')), box('moov'), box('mdat', noise(100))]),
    refused: 'no_video_track',
  },
  {
    name: 'six minutes',
    bytes: once(async () => makeMedia(`-f lavfi -i color=size=16x16:rate=1:duration=360 ${h264}`, 'mp4')),
    refused: 'too_long',
  },
  {
    name: 'parts within parts, a thousand deep',
    bytes: () => Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0')), nested(1000)]),
    refused: 'broken',
  },
  {
    name: 'a hundred thousand empty parts',
    bytes: () =>
      Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0')), Buffer.alloc(800_000, box('free'))]),
    refused: 'broken',
  },
  {
    name: 'a part of four bytes',
    bytes: async () =>
      Buffer.concat([(await video()).subarray(0, 32), Buffer.from('00000004', 'hex'), Buffer.from('moov')]),
    refused: 'broken',
  },
  {
    name: 'a part as long as 64 bits go',
    bytes: async () =>
      Buffer.concat([
        (await video()).subarray(0, 32),
        uint32(1),
        Buffer.from('moov'),
        Buffer.alloc(8, 0xff),
        noise(50),
      ]),
    refused: 'broken',
  },
  {
    name: 'a description of 20 MB',
    bytes: () =>
      Buffer.concat([
        box('ftyp', Buffer.from('isom\0\0\0\0')),
        box('moov', box('free', Buffer.alloc(20_000_000))),
        box('mdat', noise(10)),
      ]),
    refused: 'broken',
  },
  { name: 'a cut MP4 that does not say how long it was', bytes: endless, undecodable: true },
];

/** @param canary the address of a server that must never be asked */
export function videos(canary: string): OddFile[] {
  return [
    ...good,
    ...cutShort,
    ...lying,
    ...oddlyBuilt,
    { name: 'media in /etc/passwd', bytes: referTo('file:///etc/passwd'), refused: 'broken' },
    { name: 'media on another machine', bytes: referTo(canary), refused: 'broken' },
  ];
}

function nested(depth: number): Buffer {
  let inner: Buffer = Buffer.alloc(0);
  for (let level = 0; level < depth; level++) inner = box('moov', inner);
  return inner;
}

async function endless(): Promise<Buffer> {
  const bytes = Buffer.from(await faststart());
  const { start, end } = findBox(bytes, 'mdat');
  bytes.writeUInt32BE(0, start);
  return bytes.subarray(0, start + Math.floor((end - start) * 0.4));
}
