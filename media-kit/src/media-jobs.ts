import type { Format } from './file-signature.ts';

/** What a process that handles media can be asked to do, and what it answers. */
export type MediaJobs = {
  /** Reads tracks and times. */
  probe: { ask: { path: string; format: Format }; answer: Probed };
  /** Finds the frame of a video that is seen at a time, in seconds; past the end it is the last. */
  findFrame: { ask: { path: string; time: number }; answer: FoundFrame };
  /** Decodes a whole JPEG or PNG. */
  decodeImage: { ask: { path: string }; answer: { width: number; height: number } };
  /** Makes a WebP that fits in a square of `side` pixels. */
  shrinkImage: { ask: { path: string; side: number }; answer: Pixels };
  /** Makes a JPEG that fits in a square of `side` pixels; of no bytes where none of its qualities fits in `maxBytes`. */
  makePreview: { ask: { path: string; side: number; maxBytes: number }; answer: Pixels };
  /** The transparency of an image as a mask: a grey PNG, white where it is transparent. Writes nothing where there is none. */
  writeMaskOfAlpha: { ask: { path: string; output: string }; answer: { hasAlpha: boolean } };
  /** Upright, 8 bits, sRGB, four bytes per pixel, written to `output`; no larger than `maxPixels`. */
  writeRgba: { ask: { path: string; output: string; maxPixels: number }; answer: Size };
  /** Brings an image to a size: upright, sRGB, 8 bits, opaque, without metadata. */
  fitImage: { ask: FitImage; answer: Size };
  /** Brings a mask to where its image was brought. */
  fitMask: { ask: FitMask; answer: Size };
  /** Brings what was made to the size that was promised, as PNG without metadata. */
  finishImage: { ask: FinishImage; answer: Finished };
};

/** White, black, or the file at a path. */
export type FileOrBlank = { path: string } | { blank: 'white' | 'black' };
export type Fit = 'cover' | 'contain' | 'fill';

/** An image to be brought to `size` and written to `output`. */
export type FitImage = {
  image: FileOrBlank;
  output: string;
  /** Pixels. */
  size: Size;
  fit: Fit;
  format: 'png' | 'jpeg';
};

export type FitMask = Omit<FitImage, 'image' | 'format'> & {
  /** White changes, black stays. */
  mask: FileOrBlank;
  /** Pixels of the image that it belongs to, as a viewer shows it. */
  imageSize: Size;
  /** In pixels of the image; it softens inwards. */
  blur: number;
  /** How the one who reads it is told what changes. */
  changes: 'white' | 'black' | 'transparent';
};

export type FinishImage = {
  path: string;
  output: string;
  /** Pixels. */
  size: Size;
  /** The share of the image that may be cut away for the sake of the size. */
  maxCrop: number;
  /** Where the mask is black, the source's own pixels stand, bit for bit. */
  inpaint: { source: string; mask: string; blur: number } | null;
};

/** Nothing was written where the size would have cut away more than it may. */
export type Finished = Size & { written: boolean };

export type Size = { width: number; height: number };
export type Pixels = Size & { bytes: Uint8Array };

export type Probed = {
  video: {
    width: number;
    height: number;
    codec: string | null;
    /** Codec and profile as browsers name them: `avc1.640028`. */
    codecParameters: string | null;
  } | null;
  audio: { codec: string | null } | null;
  /** Of the video track where there is one, else of the audio. */
  durationSeconds: number;
  /** Of the longest track. */
  maxTrackSeconds: number;
};

/** The seconds of the file's own clock at which the frame appears; undefined for the first one. */
export type FoundFrame = { appearsAt: number | undefined };

export type MediaJobName = keyof MediaJobs;
export type MediaJob = { [Name in MediaJobName]: { name: Name; ask: MediaJobs[Name]['ask'] } }[MediaJobName];

/** `unreadable`: the file is at fault, and the library said so. `out_of_space`: there was no space for what was made of it. */
export type MediaAnswer =
  | { type: 'done'; answer: unknown }
  | { type: 'unreadable'; message: string }
  | { type: 'out_of_space'; message: string };
