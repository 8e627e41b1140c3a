export type FfmpegOptions = {
  /** Paths of the files to read, by their names in the arguments. */
  inputs: Readonly<Record<string, string>>;
  /** Paths of the files to write, by their names in the arguments. A file appears only after success, never in part. */
  outputs: Readonly<Record<string, string>>;
  signal: AbortSignal;
  timeoutMs: number;
  /** Maximum bytes of all outputs together. */
  maxOutputBytes: number;
  maxMemoryBytes?: number;
  /** For tests and comparisons; the default is the system's ffmpeg if there is one. */
  executor?: 'system' | 'wasm';
};

/**
 * One run as an executor gets it: all files are given by their paths. `system-ffmpeg.ts` and `wasm-ffmpeg.ts` are the
 * executors; `ffmpeg.ts` chooses.
 */
export type FfmpegRun = Omit<FfmpegOptions, 'executor' | 'maxMemoryBytes'> & {
  args: readonly string[];
  maxMemoryBytes: number;
};
