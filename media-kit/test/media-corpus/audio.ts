import { makeMedia, noise, once } from './make-media.ts';
import type { OddFile } from './odd-file.ts';

const sine = '-f lavfi -i sine=duration=2:sample_rate=44100';
const mp3 = once(async () => makeMedia(`${sine} -b:a 64k`, 'mp3'));
const m4a = once(async () => makeMedia(sine, 'm4a'));
const silentVideo = once(async () => {
  const bytes = await makeMedia(
    '-f lavfi -i testsrc=size=64x48:rate=10:duration=1 -pix_fmt yuv420p -c:v libx264',
    'mp4',
  );
  bytes.write('M4A ', 8);
  return bytes;
});
const isAudio = { type: 'audio', hasAudio: true, width: null, height: null } as const;

type WaveOptions = { channels?: number; dataSize?: number; dataBytes?: number; format?: Buffer };

/** Makes a WAV; by default two seconds at 8,000 samples of 16 bits each. */
function wave({ channels = 1, dataBytes = 32_000, dataSize = dataBytes, format }: WaveOptions = {}): Buffer {
  const standard = Buffer.alloc(24);
  standard.write('fmt ');
  standard.writeUInt32LE(16, 4);
  standard.writeUInt16LE(1, 8);
  standard.writeUInt16LE(channels, 10);
  standard.writeUInt32LE(8000, 12);
  standard.writeUInt32LE(16_000 * channels, 16);
  standard.writeUInt16LE(2 * channels, 20);
  standard.writeUInt16LE(16, 22);
  const data = Buffer.alloc(8);
  data.write('data');
  data.writeUInt32LE(dataSize, 4);
  const body = Buffer.concat([Buffer.from('WAVE'), format ?? standard, data, noise(dataBytes)]);
  const head = Buffer.alloc(8);
  head.write('RIFF');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

export const audios: OddFile[] = [
  {
    name: 'a good WAV',
    bytes: () => wave(),
    is: { ...isAudio, contentType: 'audio/wav', durationSeconds: 2 },
  },
  {
    name: 'a WAV that does not know its length',
    bytes: () => wave({ dataSize: 0xffff_ffff }),
    is: { ...isAudio, durationSeconds: 2 },
  },
  { name: 'a WAV that says more than it has', bytes: () => wave({ dataSize: 4_000_000 }), refused: 'broken' },
  {
    name: 'a WAV that says less than it has',
    bytes: () => wave({ dataSize: 16_000 }),
    is: { ...isAudio, durationSeconds: 1 },
  },
  { name: 'a WAV without audio', bytes: () => wave({ dataBytes: 0 }), refused: 'broken' },
  { name: 'a WAV without channels', bytes: () => wave({ channels: 0 }), refused: 'broken' },
  {
    name: 'a WAV that does not say how it is written',
    bytes: () => wave({ format: Buffer.alloc(0) }),
    refused: 'broken',
  },
  { name: 'a WAV of the head alone', bytes: () => wave().subarray(0, 12), refused: 'broken' },
  { name: 'a good MP3', bytes: mp3, is: { ...isAudio, contentType: 'audio/mpeg' } },
  {
    name: 'an MP3 behind a tag that is longer than the file',
    bytes: async () => Buffer.concat([Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'), await mp3()]),
    refused: 'broken',
  },
  {
    name: 'a tag of MP3 with text behind it',
    bytes: () => Buffer.from(`ID3\x04\0\0\0\0\0\0${'not music '.repeat(200)}`, 'latin1'),
    refused: 'broken',
  },
  {
    name: 'one frame of MP3 with noise behind it',
    bytes: async () => Buffer.concat([Buffer.from('fffb9064', 'hex'), noise(4000)]),
    refused: 'broken',
  },
  { name: 'a good M4A', bytes: m4a, is: { ...isAudio, contentType: 'audio/mp4' } },
  { name: 'an M4A cut in the middle', bytes: async () => (await m4a()).subarray(0, 4000), refused: 'broken' },
  { name: 'frames alone in an M4A', bytes: silentVideo, refused: 'no_audio_track' },
];
