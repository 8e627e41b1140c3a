export type FileLimits = {
  imageBytes: number;
  imagePixels: number;
  /** Pixels of the longer side. */
  imageSide: number;
  videoBytes: number;
  /** Pixels of one frame of the video. */
  videoPixels: number;
  videoSide: number;
  videoSeconds: number;
  audioBytes: number;
};

const megabyte = 1024 * 1024;
/**
 * The limits that `contract/v1/limits.ts` promises; for videos enough for 8K. `inspect-file.ts` refuses larger files,
 * and `studio/src/config.ts` may lower the limits.
 */
export const fileLimits: FileLimits = {
  imageBytes: 50 * megabyte,
  imagePixels: 50_000_000,
  imageSide: 16_384,
  videoBytes: 500 * megabyte,
  videoPixels: 8192 * 4320,
  videoSide: 8192,
  videoSeconds: 300,
  audioBytes: 50 * megabyte,
};
