import {
  EncodedPacketSink,
  FilePathSource,
  Input,
  type InputFormat,
  IsobmffInputFormat,
  MP3,
  MP4,
  QTFF,
  WAVE,
} from 'mediabunny';
import type { Format } from './file-signature.ts';
import type { FoundFrame, Probed } from './media-jobs.ts';

/** Bytes of the file that are kept in memory at the same time. */
const maxCacheBytes = 4 * 1024 * 1024;

/**
 * Reads early QuickTime files, which lack the box that names their brand. The library looks for this box. The first
 * bytes of the file were checked before, so the library only has to read it. `_canReadInput` is an internal name of the
 * library; the corpus contains such a file, so its test would notice a change.
 */
class QuickTimeWithoutBrand extends IsobmffInputFormat {
  readonly name = 'QuickTime without a brand';
  readonly mimeType = 'video/quicktime';
  readonly _canReadInput = async () => true;
}

const boxes = [MP4, QTFF, new QuickTimeWithoutBrand()];
const formats: Partial<Record<Format, InputFormat[]>> = {
  mp4: boxes,
  mov: boxes,
  m4a: boxes,
  mp3: [MP3],
  wav: [WAVE],
};

/** Reads tracks and times, without decoding. Runs in a process with limits, because a file can make it run long. */
export async function probe(path: string, format: Format): Promise<Probed> {
  using input = open(path, format);
  const video = await input.getPrimaryVideoTrack();
  const audio = await input.getPrimaryAudioTrack();
  const main = video ?? audio;
  const tracks = [video, audio].filter((track) => track !== null);
  return {
    video: video && {
      width: await video.getDisplayWidth(),
      height: await video.getDisplayHeight(),
      codec: await video.getCodec(),
      codecParameters: await video.getCodecParameterString(),
    },
    audio: audio && { codec: await audio.getCodec() },
    durationSeconds: main === null ? 0 : await main.computeDuration(),
    maxTrackSeconds: tracks.length === 0 ? 0 : await input.computeDuration(tracks),
  };
}

/** Finds the frame of an MP4 or MOV that is visible at `time` seconds. Runs in a process with limits. */
export async function findFrame(path: string, time: number): Promise<FoundFrame> {
  using input = open(path, 'mp4');
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw new Error('there is no video track');
  const packets = new EncodedPacketSink(track);
  const first = await packets.getFirstPacket({ metadataOnly: true });
  const found = await packets.getPacket(time, { metadataOnly: true });
  const isFirst = found === null || first === null || found.timestamp <= first.timestamp;
  return { appearsAt: isFirst ? undefined : found.timestamp };
}

function open(path: string, format: Format): Input {
  return new Input({
    source: new FilePathSource(path, { maxCacheSize: maxCacheBytes }),
    formats: formats[format] ?? [],
  });
}
