/** Formats that are accepted. */
export type Format = 'jpeg' | 'png' | 'mp4' | 'mov' | 'm4a' | 'mp3' | 'wav';

/** Bytes at the start of a file that identify its format; text is checked up to the same length. */
export const signatureBytes = 512;

type Signature = { format: Format } | { refused: string } | undefined;

const png = Buffer.from('89504e470d0a1a0a', 'hex');

/** Returns what the first bytes show: an accepted format, the name of a refused one, or `undefined`. */
export function readSignature(head: Buffer): Signature {
  if (startsWith(head, png)) return { format: 'png' };
  if (head.readUIntBE(0, Math.min(3, head.length)) === 0xffd8ff) return { format: 'jpeg' };
  const ascii = head.toString('latin1');
  if (ascii.startsWith('RIFF') && ascii.slice(8, 12) === 'WAVE') return { format: 'wav' };
  const boxes = readBoxBrand(ascii);
  if (boxes !== undefined) return boxes;
  const known = refusedSignatures.find(([sign]) =>
    typeof sign === 'string' ? ascii.startsWith(sign) : sign.test(ascii),
  );
  if (known !== undefined) return { refused: known[1] };
  if (isMp3(head)) return { format: 'mp3' };
  return readText(head);
}

/** First bytes of known formats that are refused, and their names. */
const refusedSignatures: readonly (readonly [string | RegExp, string])[] = [
  ['GIF8', 'a GIF'],
  [/^RIFF[^]{4}WEBP/, 'a WebP'],
  [/^RIFF[^]{4}AVI /, 'an AVI'],
  ['RIFF', 'a RIFF file'],
  [/^(?:RIFX|RF64)/, 'a WAV of another kind (RIFX or RF64)'],
  ['BM', 'a BMP'],
  [/^(?:II[*+]\0|MM\0[*+])/, 'a TIFF'],
  ['%PDF-', 'a PDF'],
  ['\x1aE\xdf\xa3', 'a Matroska or WebM video'],
  ['OggS', 'an Ogg file'],
  ['fLaC', 'a FLAC'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['\0\0\x01\0', 'an icon (ICO)'],
  ['8BPS', 'a Photoshop document'],
  ['\0\0\0\x0cjP  ', 'a JPEG 2000'],
  ['\0\0\0\x0cJXL ', 'a JPEG XL'],
  ['\xff\x0a', 'a JPEG XL'],
  ['FLV', 'a Flash video'],
  ['FORM', 'an AIFF'],
  ['caff', 'a CAF'],
  ['#!AMR', 'an AMR'],
  [/^(?:ADIF|\xff[\xf0\xf1\xf8\xf9])/, 'an AAC stream'],
  ['0&\xb2u', 'a Windows Media file'],
  ['\0\0\x01\xba', 'an MPEG video'],
  ['\0\0\x01\xb3', 'an MPEG video'],
  [/^G[^]{187}G/, 'an MPEG transport stream'],
];

const boxesOfQuickTime = ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'];
const brandsOfMp4 =
  /^(?:isom|iso[2-9a-c]|mp4[12]|mp71|avc1|hvc1|dash|msdh|cmf[c2s]|MSNV|M4V[ HP]|F4V |XAVC|NDS[CHMPSXK]|dby1)$/;
const otherBrands: readonly (readonly [RegExp, string])[] = [
  [/^(?:hei[cxms]|hev[cxms]|mif1|msf1|mif2)$/, 'a HEIC'],
  [/^avi[fs]$/, 'an AVIF'],
  [/^3g/, 'a 3GPP file'],
  [/^crx $/, 'a camera raw file'],
  [/^mj/, 'a Motion JPEG 2000'],
];

/** Reads the brand of a file that consists of boxes: MP4, QuickTime and related formats. */
function readBoxBrand(ascii: string): Signature {
  const type = ascii.slice(4, 8);
  if (boxesOfQuickTime.includes(type)) return { format: 'mov' };
  if (type !== 'ftyp') return undefined;
  const size = Math.min((ascii.charCodeAt(2) << 8) | ascii.charCodeAt(3), ascii.length);
  const major = ascii.slice(8, 12);
  const compatible = (ascii.slice(16, size).match(/[^]{4}/g) ?? []) as string[];
  if (major === 'qt  ') return { format: 'mov' };
  if (/^M4[AB] $/.test(major)) return { format: 'm4a' };
  const other = otherBrands.find(([shape]) => shape.test(major));
  if (other !== undefined) return { refused: other[1] };
  if ([major, ...compatible].some((brand) => brandsOfMp4.test(brand))) return { format: 'mp4' };
  return { refused: `a file of the brand "${major.replaceAll(/[^\x21-\x7e]/g, '?')}"` };
}

function isMp3(head: Buffer): boolean {
  if (startsWith(head, Buffer.from('ID3'))) return true;
  const [first = 0, second = 0, third = 0] = head;
  // Sync, any version except the reserved one, layer III, and a valid bit rate and sample rate.
  return (
    first === 0xff &&
    (second & 0xe6) === 0xe2 &&
    (second & 0x18) !== 0x08 &&
    ![0x00, 0xf0].includes(third & 0xf0) &&
    (third & 0x0c) !== 0x0c
  );
}

const whitespace = [9, 10, 12, 13, 27];

function readText(head: Buffer): Signature {
  if (head.some((byte) => byte < 32 && !whitespace.includes(byte))) return undefined;
  const text = head.toString('utf8');
  // The head of a longer file may end inside a character.
  const whole = head.length < signatureBytes ? text : text.slice(0, -3);
  if (whole.includes('\uFFFD')) return undefined;
  const start = text
    .replace(/^\uFEFF/, '')
    .trimStart()
    .toLowerCase();
  if (start.startsWith('#extm3u')) return { refused: 'an HLS playlist' };
  if (start.startsWith('<mpd') || /^<\?xml[^]*<mpd/.test(start)) return { refused: 'a DASH playlist' };
  if (start.startsWith('<svg') || /^<(?:\?xml|!--|!doctype svg)[^]*<svg/.test(start))
    return { refused: 'an SVG' };
  if (/^<(?:!doctype html|html|head|body|script)/.test(start)) return { refused: 'an HTML page' };
  if (start.startsWith('ffconcat')) return { refused: 'a list of files' };
  return { refused: 'text' };
}

function startsWith(bytes: Buffer, sign: Buffer): boolean {
  return bytes.subarray(0, sign.length).equals(sign);
}
