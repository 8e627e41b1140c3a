import { createReadStream } from 'node:fs';
import type { StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';
import { fileLimits } from '@renderkit/media-kit/file-limits.ts';
import { inspectFile } from '@renderkit/media-kit/inspect-file.ts';
import { UnusableFile } from '@renderkit/media-kit/unusable-file.ts';
import { UnreadableMedia } from '@renderkit/media-kit/media-processes.ts';
import { makeThumbnail } from '@renderkit/media-kit/thumbnail.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { keepFiles } from '../storage/keep-files.ts';
import { aspectRatioOf } from './aspect-ratio.ts';
import type { FrameDependencies } from './save-frame.ts';
import { findAsset, insertAsset } from './store.ts';

export type ItemToAdd = {
  account: string;
  /** Where the image or video lies. */
  file: string;
  project: string | null;
  prompt: string | null;
};

/**
 * Adds an image or a video to a library as if it had been generated elsewhere than through the service. Undefined
 * where the account or the project is gone.
 * @throws UnusableFile
 */
export async function addItem(
  item: ItemToAdd,
  dependencies: FrameDependencies,
): Promise<StudioAsset | undefined> {
  const { account, file, project, prompt } = item;
  const inspected = await inspectFile(file, fileLimits, dependencies.stopping);
  const { type, contentType, extension, width, height, durationSeconds } = inspected;
  if (type === 'audio')
    throw new UnusableFile('unsupported_type', 'A library holds pictures and videos, no sound.');
  const thumbnail = await makeThumbnail(file, { type, durationSeconds }, dependencies.stopping).catch(
    (cause: unknown) => {
      if (!(cause instanceof UnreadableMedia)) throw cause;
      throw new UnusableFile('broken', 'The file cannot be decoded.', { cause });
    },
  );
  const id = newId('ast_');
  const added = await keepFiles(
    {
      owner: id,
      files: {
        media: { name: `${id}.${extension}`, chunks: createReadStream(file) },
        thumbnail: { name: 'thumb.webp', chunks: [thumbnail.bytes] },
      },
    },
    dependencies,
    async (transaction, kept) => {
      const inserted = await insertAsset(transaction, {
        id,
        account,
        project,
        type,
        generationType: type,
        key: kept.media.key,
        thumbKey: kept.thumbnail.key,
        contentType,
        sizeBytes: kept.media.sizeBytes,
        width,
        height,
        durationSeconds,
        aspectRatio: aspectRatioOf({ width, height }),
        nsfw: false,
        promptId: newId('prm_'),
        prompt,
      });
      return { named: inserted.outcome === 'stored' };
    },
  );
  return added.named ? findAsset(dependencies.database, { account, type, id }) : undefined;
}
