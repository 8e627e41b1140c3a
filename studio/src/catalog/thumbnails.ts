import { hash } from 'node:crypto';
import path from 'node:path';
import { UnreadableMedia } from '@renderkit/media-kit/media-processes.ts';
import { makeThumbnailOf } from '@renderkit/media-kit/thumbnail.ts';
import { type BlobStorage, folderOf } from '@renderkit/blob-storage/blob-storage.ts';
import { mediaFolder } from '../storage/media-folder.ts';
import type { MediaStore } from '../storage/open-media.ts';
import { holdFolder } from '../storage/orphan-folders.ts';
import { type ModelFiles, PublishError } from './publish.ts';
import type { CatalogFile } from './read-files.ts';

const decodeMs = 30_000;

/**
 * Stores the image that a manifest names as its thumbnail, under a name made from its content. An image that is stored
 * twice is the same blob. The next try finds an image that no version names yet. A model whose manifest names none gets
 * the image of its sample: `studio/sql/functions/keep_sample.sql`.
 * @throws PublishError if it is no image
 */
export async function keepThumbnail(
  model: ModelFiles,
  { database, storage, mediaKey }: MediaStore,
): Promise<ModelFiles> {
  const { image } = model;
  if (image === undefined) return model;
  const folder = mediaFolder(mediaKey, `thumbnail ${hash('sha256', image.bytes, 'hex')}`, 0, 0);
  const thumbnailKey = `${folder}/thumb.webp`;
  // The blob may be old and about to be removed because no version names it.
  await holdFolder(database, folder);
  if ((await storage.open(thumbnailKey)) === undefined) {
    const small = await makeThumbnailOf(image.bytes, AbortSignal.timeout(decodeMs)).catch(
      (error: unknown) => {
        if (!(error instanceof UnreadableMedia)) throw error;
        throw new PublishError(`${image.name} cannot be used as a thumbnail: it cannot be decoded.`, {
          cause: error,
        });
      },
    );
    await storage.put(originalKey(thumbnailKey, image.name), [image.bytes]);
    await storage.put(thumbnailKey, [small.bytes]);
  }
  return { ...model, thumbnailKey };
}

/**
 * Like `keepThumbnail`, for a file of the catalog. Opens the storage only if a model names an image.
 * @throws PublishError
 */
export async function storeImage<File extends CatalogFile>(
  file: File,
  openMedia: () => Promise<MediaStore>,
): Promise<File> {
  return file.kind === 'model' && file.model.image !== undefined
    ? { ...file, model: await keepThumbnail(file.model, await openMedia()) }
    : file;
}

/** Returns the original image, for an export; `undefined` if the blob is gone. */
export async function readOriginal(
  thumbnailKey: string,
  name: string,
  storage: BlobStorage,
): Promise<Buffer | undefined> {
  const blob = await storage.open(originalKey(thumbnailKey, name));
  return blob && Buffer.concat(await Array.fromAsync(blob.read() as AsyncIterable<Buffer>));
}

function originalKey(thumbnailKey: string, name: string): string {
  return `${folderOf(thumbnailKey)}/image${path.extname(name).toLowerCase()}`;
}
