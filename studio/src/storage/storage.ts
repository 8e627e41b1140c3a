import type { Readable } from 'node:stream';

export type StoredFile = {
  sizeBytes: number;
  /** The bytes from `start` to `end`, both included. */
  read: (range?: { start: number; end: number }) => Readable;
};

/**
 * Where finished media lie. A key is `<unguessable folder>/<file name>`; whoever knows it may read the file, so keys
 * are made by `mediaFolder` alone.
 */
export type Storage = {
  /** Returns once the bytes would survive a power cut; nobody ever sees half a file. */
  put: (key: string, bytes: Buffer) => Promise<void>;
  open: (key: string) => Promise<StoredFile | undefined>;
  /** The file's place on this machine, for what reads files and not streams. */
  pathOf: (key: string) => string | undefined;
  /** Removes a folder with all that is in it; nothing happens where there is none. */
  removeFolder: (folder: string) => Promise<void>;
};
