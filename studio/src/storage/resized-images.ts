import { MediaToolError } from '@renderkit/media-kit/media-tool-error.ts';
import { imageLimits, runMediaJob, UnreadableMedia } from '@renderkit/media-kit/media-processes.ts';
import { createLimiter, LimiterFull } from '@renderkit/server-kit/work/limiter.ts';
import { StudioError } from '../errors.ts';
import { type BlobStorage, BlobMissing } from '@renderkit/blob-storage/blob-storage.ts';

/** The longer side, in pixels. */
export const smallSides = { min: 64, max: 1_024, initial: 768 };
/**
 * The maximum size of a small image. Chat programs accept hardly more. `makePreview` in `media-kit/src/images.ts`
 * lowers the quality until the image fits.
 */
const maxImageBytes = 150_000;
const maxCachedBytes = 32 * 1024 * 1024;
/** One at a time, because the same processes check uploads. */
const limits = { slots: 1, waitingAtMost: 32 };
const retryAfterSeconds = 5;

/** Creates small JPEGs of stored images. The latest ones are cached in memory: a blob never changes. */
export class ResizedImages {
  readonly #storage: BlobStorage;
  readonly #limiter = createLimiter(limits);
  /** Least recently used first. */
  readonly #kept = new Map<string, Buffer>();
  readonly #making = new Map<string, Promise<Buffer>>();
  #keptBytes = 0;

  constructor(storage: BlobStorage) {
    this.#storage = storage;
  }

  /**
   * Returns a JPEG of the image with this key that fits in a square of `side` pixels. The caller must have checked that
   * the blob exists.
   * @throws StudioError `invalid_request` when no JPEG can be made, `overloaded`, `not_found`
   */
  async jpegOf(key: string, side: number): Promise<Buffer> {
    const name = `${key} ${side}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept;
    }
    const making = this.#making.get(name) ?? this.#make(key, side).finally(() => this.#making.delete(name));
    this.#making.set(name, making);
    const made = await making;
    this.#keep(name, made);
    return made;
  }

  async #make(key: string, side: number): Promise<Buffer> {
    try {
      using _ = await this.#limiter.enter();
      const signal = AbortSignal.timeout(imageLimits.timeoutMs);
      const { bytes } = await this.#storage.withLocalFile(key, (path) =>
        runMediaJob('makePreview', { path, side, maxBytes: maxImageBytes }, { ...imageLimits, signal }),
      );
      if (bytes.length > 0) return Buffer.from(bytes);
      throw new StudioError('invalid_request', 'The image does not become small enough at this size.');
    } catch (error) {
      if (error instanceof UnreadableMedia)
        throw new StudioError('invalid_request', 'The image cannot be read.', { cause: error });
      if (error instanceof BlobMissing) throw new StudioError('not_found', 'There is no such file.');
      if (error instanceof LimiterFull || error instanceof MediaToolError)
        throw new StudioError('overloaded', 'Too many images are being resized.', {
          retryAfterSeconds,
          cause: error,
        });
      throw error;
    }
  }

  #keep(name: string, made: Buffer): void {
    if (this.#kept.has(name)) return;
    this.#kept.set(name, made);
    this.#keptBytes += made.length;
    for (const [oldest, bytes] of this.#kept) {
      if (this.#keptBytes <= maxCachedBytes) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytes.length;
    }
  }
}
