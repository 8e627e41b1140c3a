import type { Readable } from 'node:stream';

/** Pieces of a file in order. When the writer asks for the next piece, it no longer uses the one before. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export type StoredBlob = {
  sizeBytes: number;
  /** Hash of all bytes in hexadecimal digits, where it was stored with the blob. */
  sha256?: string | undefined;
  /** Reads the bytes from `start` to `end`, both included; without a range all bytes. */
  read: (range?: { start: number; end: number }) => Readable;
};

export type ListedBlob = { key: string; sizeBytes: number; storedAt: Date };

/** Headers that a client receives when it opens a blob by a link. */
export type LinkHeaders = { contentType: string; disposition: string; cacheControl: string };

/** A complete file that has no key yet. `keep` stores it under a key; otherwise disposing removes it. */
export type ReceivedBlob = AsyncDisposable & {
  sizeBytes: number;
  /** Lends the file to a tool that can only read local files. Call this before `keep`. */
  withLocalFile: <T>(use: (path: string) => Promise<T>) => Promise<T>;
  /** Stores the file under this name in its folder. Returns the key once the blob would survive a power cut. */
  keep: (name: string) => Promise<string>;
};

/**
 * Where media are stored, on a disk or in an object store. Implemented by `disk-blob-storage.ts` and
 * `s3/s3-blob-storage.ts`; `open-storage.ts` chooses. `testing/blob-storage-conformance.ts` defines what each
 * implementation has to do. A key is `<unguessable folder>/<file name>` and not a path. Anybody who has a key may read
 * the blob, so folders are named by `mediaFolder` only. A blob never changes. While the store cannot be used, all
 * methods reject with an error that `isStorageUnavailable` recognises.
 */
export type BlobStorage = {
  /** Stores a blob of any size; returns once it would survive a power cut. No reader ever sees a part of it. */
  put: (key: string, chunks: Chunks) => Promise<{ sizeBytes: number }>;
  /** Receives a file whose name depends on its content. Removes the file again if the chunks throw. */
  receive: (folder: string, chunks: Chunks) => Promise<ReceivedBlob>;
  /** Returns `undefined` where there is no such blob, or the key is not valid. */
  open: (key: string) => Promise<StoredBlob | undefined>;
  /**
   * Lends a blob as a local file to a tool that can only read local files. The caller must not change the file, and it
   * may not exist afterwards. @throws BlobMissing
   */
  withLocalFile: <T>(key: string, use: (path: string) => Promise<T>) => Promise<T>;
  /** Removes all blobs of a folder, if there are any. Sends no request after the signal. */
  removeFolder: (folder: string, signal?: AbortSignal) => Promise<void>;
  /** Lists all blobs in pages, in no order. For checks and copies only, never while a request waits. */
  list: () => AsyncIterable<ListedBlob[]>;
  /** Removes writes that began before the time and never became a blob. Returns how many. */
  removeUnfinished: (before: Date) => Promise<number>;
  /**
   * Stores who owns this store, unless an owner is named already. Returns the owner, the same one to all concurrent
   * callers. Two studios that reconciled the same store would remove each other's blobs.
   */
  claim: (owner: string) => Promise<string>;
  /**
   * Rejects unless blobs can be written and read now. Writes on the first call and after a failure; otherwise only
   * reads.
   */
  check: () => Promise<void>;
  /**
   * Returns an address that gives anybody the blob for this number of seconds. Absent where only this process can read
   * the blob.
   */
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

/** Returns the parts of a key; `undefined` where the text is not a key. */
export function partsOf(key: string): { folder: string; name: string } | undefined {
  const [, folder, name] = keyShape.exec(key) ?? [];
  return folder === undefined || name === undefined ? undefined : { folder, name };
}

/** Returns the folder of a key. @throws TypeError where the text is not a key */
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

/** Lends several blobs at once: calls `use` with a map from each key to its path. @throws BlobMissing */
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
