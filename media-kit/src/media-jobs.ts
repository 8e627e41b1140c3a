import type { Format } from './file-signature.ts';

/**
 * The jobs of a process that handles media, with their answers. `media-process.ts` does them, by `images.ts`,
 * `fit-image.ts` and `probe.ts`.
 */
export type MediaJobs = {
  /** Reads tracks and times. */
  probe: { ask: { path: string; format: Format }; answer: Probed };
  /** Finds the frame of a video that is visible at a time, in seconds; past the end, the last frame. */
  findFrame: { ask: { path: string; time: number }; answer: FoundFrame };
  /** Decodes a whole JPEG or PNG. */
  decodeImage: { ask: { path: string }; answer: { width: number; height: number } };
  /** Makes a WebP that fits in a square of `side` pixels. */
  shrinkImage: { ask: { path: string; side: number }; answer: Pixels };
  /** Makes a JPEG that fits in a square of `side` pixels; without bytes where no quality fits in `maxBytes`. */
  makePreview: { ask: { path: string; side: number; maxBytes: number }; answer: Pixels };
  /**
   * Writes the transparency of an image as a mask: a grey PNG, white where the image is transparent. Writes nothing
   * where there is no alpha.
   */
  writeMaskOfAlpha: { ask: { path: string; output: string }; answer: { hasAlpha: boolean } };
  /** Writes the pixels to `output`: upright, 8 bits, sRGB, four bytes per pixel, at most `maxPixels`. */
  writeRgba: { ask: { path: string; output: string; maxPixels: number }; answer: Size };
  /** Fits an image to a size: upright, sRGB, 8 bits, opaque, without metadata. */
  fitImage: { ask: FitImage; answer: Size };
  /** Fits a mask to the target of its image. */
  fitMask: { ask: FitMask; answer: Size };
  /** Fits a result to the promised size, as PNG without metadata. */
  finishImage: { ask: FinishImage; answer: Finished };
};

/** White, black, or the file at a path. */
export type FileOrBlank = { path: string } | { blank: 'white' | 'black' };
export type Fit = 'cover' | 'contain' | 'fill';

/** An image to fit to `size` and to write to `output`. */
export type FitImage = {
  image: FileOrBlank;
  output: string;
  /** Pixels. */
  size: Size;
  fit: Fit;
  format: 'png' | 'jpeg';
};

export type FitMask = Omit<FitImage, 'image' | 'format'> & {
  /** White areas change, black areas stay. */
  mask: FileOrBlank;
  /** Size of the mask's image in pixels, as a viewer shows the image. */
  imageSize: Size;
  /** In pixels of the image; softens inwards. */
  blur: number;
  /** The value that marks changed areas in the output. */
  changes: 'white' | 'black' | 'transparent';
};

export type FinishImage = {
  path: string;
  output: string;
  /** Pixels. */
  size: Size;
  /** The maximum share of the image that may be cropped to get the size. */
  maxCrop: number;
  /** Where the mask is black, the result has the source's own pixels, bit for bit. */
  inpaint: { source: string; mask: string; blur: number } | null;
};

/** `written` is `false` where the size would have cropped more than `maxCrop`. */
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
  /** Duration of the video track if there is one, else of the audio. */
  durationSeconds: number;
  /** Duration of the longest track. */
  maxTrackSeconds: number;
};

/** The time in seconds, on the file's own clock, at which the frame appears; `undefined` for the first frame. */
export type FoundFrame = { appearsAt: number | undefined };

export type MediaJobName = keyof MediaJobs;
export type MediaJob = { [Name in MediaJobName]: { name: Name; ask: MediaJobs[Name]['ask'] } }[MediaJobName];

/** `unreadable`: the library could not read the file. `out_of_space`: the disk had no space for the output. */
export type MediaAnswer =
  | { type: 'done'; answer: unknown }
  | { type: 'unreadable'; message: string }
  | { type: 'out_of_space'; message: string };
