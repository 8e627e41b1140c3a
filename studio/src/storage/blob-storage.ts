import type { Readable } from 'node:stream';

export type StoredFile = {
  sizeBytes: number;
  /** The bytes from `start` to `end`, both included. */
  read: (range?: { start: number; end: number }) => Readable;
};

/** A file that came whole and is safe on disk under a temporary name: kept under its own, or else removed. */
export type ReceivedFile = AsyncDisposable & {
  sizeBytes: number;
  /** Its place on this machine, until it is kept. */
  path: string;
  /** Gives it its name in the folder; returns the key once the name would survive a power cut. */
  keep: (name: string) => Promise<string>;
};

/**
 * Where finished media lie. A key is `<unguessable folder>/<file name>`; whoever knows it may read the file, so keys
 * are made by `mediaFolder` alone.
 */
export type Storage = {
  /** Returns once the bytes would survive a power cut; nobody ever sees half a file. */
  put: (key: string, bytes: Buffer) => Promise<void>;
  /**
   * Writes a file as it comes, whatever its size, into a folder; what the chunks throw removes it again. A chunk is done
   * with when the next is asked for.
   */
  receive: (
    folder: string,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ) => Promise<ReceivedFile>;
  open: (key: string) => Promise<StoredFile | undefined>;
  /** The file's place on this machine, for what reads files and not streams. */
  pathOf: (key: string) => string | undefined;
  /** Removes a folder with all that is in it; nothing happens where there is none. */
  removeFolder: (folder: string) => Promise<void>;
};
