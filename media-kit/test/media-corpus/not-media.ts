import sharp from 'sharp';
import { box } from './boxes.ts';
import { noise } from './make-media.ts';
import type { OddFile } from './odd-file.ts';

const text = (words: string) => () => Buffer.from(words);
const image = () => sharp({ create: { width: 8, height: 8, channels: 3, background: '#3a6' } });
const brand = (name: string) => () =>
  Buffer.concat([box('ftyp', Buffer.from(`${name}\0\0\0\0${name}`)), noise(500)]);

/** Files that are not accepted, whatever their names are. */
export const notMedia: OddFile[] = [
  { name: 'nothing at all', bytes: () => Buffer.alloc(0), refused: 'empty' },
  { name: 'one byte', bytes: () => Buffer.from([0xff]), refused: 'unknown_type' },
  { name: 'zeros', bytes: () => Buffer.alloc(5000), refused: 'unknown_type' },
  { name: 'noise', bytes: () => noise(5000), refused: 'unknown_type' },
  { name: 'one letter', bytes: text('a'), refused: 'unsupported_type' },
  { name: 'a text named .png', bytes: text('I am a picture, really.'), refused: 'unsupported_type' },
  {
    name: 'an HTML page',
    bytes: text('<!doctype html><script>alert(1)</script>'),
    refused: 'unsupported_type',
  },
  {
    name: 'an SVG that reads a file',
    bytes: text(
      '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg><text>&x;</text></svg>',
    ),
    refused: 'unsupported_type',
  },
  {
    name: 'a playlist named .mp4',
    bytes: text('#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\nfile:///etc/passwd\n'),
    refused: 'unsupported_type',
  },
  { name: 'a DASH playlist', bytes: text('<?xml version="1.0"?>\n<MPD></MPD>'), refused: 'unsupported_type' },
  {
    name: 'a list of files',
    bytes: text("ffconcat version 1.0\nfile '/etc/passwd'"),
    refused: 'unsupported_type',
  },
  { name: 'a GIF', bytes: async () => image().gif().toBuffer(), refused: 'unsupported_type' },
  { name: 'a WebP', bytes: async () => image().webp().toBuffer(), refused: 'unsupported_type' },
  {
    name: 'an AVIF',
    bytes: async () => image().avif({ effort: 0 }).toBuffer(),
    refused: 'unsupported_type',
  },
  { name: 'a TIFF', bytes: async () => image().tiff().toBuffer(), refused: 'unsupported_type' },
  { name: 'a HEIC', bytes: brand('heic'), refused: 'unsupported_type' },
  { name: 'a 3GPP file', bytes: brand('3gp4'), refused: 'unsupported_type' },
  { name: 'a brand that nobody knows', bytes: brand('zzzz'), refused: 'unsupported_type' },
  { name: 'a BMP', bytes: () => Buffer.concat([Buffer.from('BM'), noise(100)]), refused: 'unsupported_type' },
  { name: 'a PDF', bytes: text('%PDF-1.7\n1 0 obj'), refused: 'unsupported_type' },
  {
    name: 'a picture of the VIPS library',
    bytes: () => Buffer.from('b6a6f20800000001', 'hex'),
    refused: 'unknown_type',
  },
  { name: 'a ZIP', bytes: () => Buffer.from('504b030414000000', 'hex'), refused: 'unsupported_type' },
  {
    name: 'a Matroska video',
    bytes: () => Buffer.from('1a45dfa39f428681', 'hex'),
    refused: 'unsupported_type',
  },
  { name: 'an Ogg', bytes: text('OggS\0\u0002'), refused: 'unsupported_type' },
  { name: 'a FLAC', bytes: text('fLaC\0\0\0"'), refused: 'unsupported_type' },
  { name: 'an AAC stream', bytes: () => Buffer.from('fff15080', 'hex'), refused: 'unsupported_type' },
];
