import type { Readable } from 'node:stream';

/** Pieces of a file in order. Whoever writes them is done with one when it asks for the next. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export type StoredBlob = {
  sizeBytes: number;
  /** Of all bytes, in hexadecimal digits, where it was stored with them. */
  sha256?: string | undefined;
  /** The bytes from `start` to `end`, both included; without a range all of them. */
  read: (range?: { start: number; end: number }) => Readable;
};

export type ListedBlob = { key: string; sizeBytes: number; storedAt: Date };

/** What a client of the store is told with a blob that it opens by a link. */
export type LinkHeaders = { contentType: string; disposition: string; cacheControl: string };

/** A file that came whole but has no key yet: kept under one, or else removed when it is disposed. */
export type ReceivedBlob = AsyncDisposable & {
  sizeBytes: number;
  /** Lends the file to what can only read local files; before `keep`. */
  withLocalFile: <T>(use: (path: string) => Promise<T>) => Promise<T>;
  /** Stores it under this name in its folder; returns the key once the blob would survive a power cut. */
  keep: (name: string) => Promise<string>;
};

/**
 * Where media are kept, on a disk or in an object store; `testing/blob-storage-conformance.ts` says what each
 * implementation has to do. A key is `<unguessable folder>/<file name>` and no path. Whoever knows it may read the
 * blob, so folders are named by `mediaFolder` alone. A blob never changes. While the store cannot be used, all of it
 * rejects with an error that `isStorageUnavailable` knows.
 */
export type BlobStorage = {
  /** Stores a blob of any size; returns once it would survive a power cut. Nobody ever sees a part of it. */
  put: (key: string, chunks: Chunks) => Promise<{ sizeBytes: number }>;
  /** Takes a file whose name is known only after a look at it. What the chunks throw removes it again. */
  receive: (folder: string, chunks: Chunks) => Promise<ReceivedBlob>;
  /** Undefined where there is no such blob, or the key is none. */
  open: (key: string) => Promise<StoredBlob | undefined>;
  /** Lends a blob as a file to what can only read local files: it must not be changed, and may be gone afterwards. @throws BlobMissing */
  withLocalFile: <T>(key: string, use: (path: string) => Promise<T>) => Promise<T>;
  /** Removes every blob of a folder; nothing happens where there is none. No request begins after the signal. */
  removeFolder: (folder: string, signal?: AbortSignal) => Promise<void>;
  /** Every blob there is, by pages and in no order. For checks and copies: never on the way of a request. */
  list: () => AsyncIterable<ListedBlob[]>;
  /** Removes what was begun before the time and never became a blob. Returns how many. */
  removeUnfinished: (before: Date) => Promise<number>;
  /**
   * Writes down who the store belongs to unless somebody is named already; returns who it is, the same to all who ask at one
   * moment. Two studios that reconciled one store would remove each other's blobs.
   */
  claim: (owner: string) => Promise<string>;
  /** Rejects unless blobs can be written and read now. Writes at first and after something failed; else it only reads. */
  check: () => Promise<void>;
  /** An address that gives the blob to anybody for so many seconds. Not where only this process can read it. */
  publicUrl?: (key: string, headers: LinkHeaders, seconds: number) => Promise<string>;
};

/** There is no blob with the key. */
export class BlobMissing extends Error {
  override name = 'BlobMissing';

  constructor(key: string) {
    super(`no blob has the key ${key}`);
  }
}

const keyShape = /^([0-9A-Za-z]{32})\/([0-9a-z_]{1,60}\.[0-9a-z]{2,4})$/;
const folderShape = /^[0-9A-Za-z]{32}$/;

/** The parts of a key; undefined where the text is none. */
export function partsOf(key: string): { folder: string; name: string } | undefined {
  const [, folder, name] = keyShape.exec(key) ?? [];
  return folder === undefined || name === undefined ? undefined : { folder, name };
}

/** The folder that a key names. @throws TypeError where the text is no key */
export function folderOf(key: string): string {
  return requireKey(key).folder;
}

/** @throws TypeError */
export function requireKey(key: string): { folder: string; name: string } {
  const parts = partsOf(key);
  if (parts === undefined) throw new TypeError(`${key} is no key of the blob storage`);
  return parts;
}

/** @throws TypeError */
export function requireFolder(folder: string): void {
  if (!folderShape.test(folder)) throw new TypeError(`${folder} is no folder of the blob storage`);
}

/** Lends several blobs at once: `use` is called with the path of each key. @throws BlobMissing */
export async function withLocalFiles<T>(
  storage: Pick<BlobStorage, 'withLocalFile'>,
  keys: readonly string[],
  use: (paths: ReadonlyMap<string, string>) => Promise<T>,
): Promise<T> {
  const paths = new Map<string, string>();
  const lend = ([key, ...rest]: readonly string[]): Promise<T> =>
    key === undefined
      ? use(paths)
      : storage.withLocalFile(key, (path) => {
          paths.set(key, path);
          return lend(rest);
        });
  return lend(keys);
}
