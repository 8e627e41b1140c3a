export type FfmpegOptions = {
  /** Paths of files that are read, by the names that stand for them in the arguments. */
  inputs: Readonly<Record<string, string>>;
  /** Paths of files to be written, likewise. They appear when all went well, never in part. */
  outputs: Readonly<Record<string, string>>;
  signal: AbortSignal;
  timeoutMs: number;
  /** Bytes of all outputs together. */
  maxOutputBytes: number;
  maxMemoryBytes?: number;
  /** For tests and comparisons; by default the system's where there is one. */
  executor?: 'system' | 'wasm';
};

/** One run as an executor sees it: names are paths already. */
export type FfmpegRun = Omit<FfmpegOptions, 'executor' | 'maxMemoryBytes'> & {
  args: readonly string[];
  maxMemoryBytes: number;
};
