import type { KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { RenderedFile } from '@renderkit/engine-kit/engine.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { aspectRatioOf } from '../library/aspect-ratio.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { mediaFolder } from '../storage/media-folder.ts';
import type { MadeAsset, RenderAttempt } from './store.ts';

/** Puts an output with its thumbnail into the storage. Returns the row that will name them. */
export async function storeOutput(
  started: Pick<RenderAttempt, 'id' | 'attempt'>,
  file: RenderedFile,
  { nsfw, seed }: Pick<MadeAsset, 'nsfw' | 'seed'>,
  { storage, mediaKey }: { storage: BlobStorage; mediaKey: KeyObject },
): Promise<MadeAsset> {
  const folder = mediaFolder(mediaKey, started.id, started.attempt, file.index);
  const id = newId('ast_');
  const thumbKey = `${folder}/thumb.webp`;
  const [stored] = await Promise.all([
    storeMedia(file, folder, id, storage),
    storage.put(thumbKey, [file.thumbnail.bytes]),
  ]);
  return {
    id,
    position: file.index,
    type: file.contentType === 'video/mp4' ? 'video' : 'image',
    storage_key: stored.key,
    thumb_key: thumbKey,
    content_type: file.contentType,
    size_bytes: stored.sizeBytes,
    width: file.width,
    height: file.height,
    duration: file.contentType === 'video/mp4' ? file.durationSeconds : null,
    aspect_ratio: aspectRatioOf(file),
    nsfw: nsfw || file.nsfw,
    seed,
  };
}

async function storeMedia(
  file: RenderedFile,
  folder: string,
  id: string,
  storage: BlobStorage,
): Promise<{ key: string; sizeBytes: number }> {
  const isImage = file.contentType === 'image/png';
  const key = `${folder}/${id}.${isImage ? 'png' : 'mp4'}`;
  return { key, ...(await storage.put(key, isImage ? [file.bytes] : createReadStream(file.path))) };
}
