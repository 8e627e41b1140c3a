import { createReadStream } from 'node:fs';
import type { StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';
import { fileLimits } from '@renderkit/media-kit/file-limits.ts';
import { inspectFile } from '@renderkit/media-kit/inspect-file.ts';
import { UnusableFile } from '@renderkit/media-kit/unusable-file.ts';
import { UnreadableMedia } from '@renderkit/media-kit/media-processes.ts';
import { makeThumbnail } from '@renderkit/media-kit/thumbnail.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { type ItemDependencies, keepItem } from './keep-item.ts';
import { findAsset } from './store.ts';

export type ItemToAdd = {
  account: string;
  /** The path of the image or video. */
  file: string;
  project: string | null;
  prompt: string | null;
};

/**
 * Adds an image or a video to a library as an item that was not generated through the service.
 * `studio/sql/functions/finish_render.sql` adds the outputs of renders. Returns `undefined` when the account or the
 * project is gone.
 * @throws UnusableFile
 */
export async function addItem(
  item: ItemToAdd,
  dependencies: ItemDependencies,
): Promise<StudioAsset | undefined> {
  const { account, file, project, prompt } = item;
  const inspected = await inspectFile(file, fileLimits, dependencies.stopping);
  const { type, contentType, extension, width, height, durationSeconds } = inspected;
  if (type === 'audio')
    throw new UnusableFile('unsupported_type', 'A library holds images and videos, no audio.');
  const thumbnail = await makeThumbnail(file, { type, durationSeconds }, dependencies.stopping).catch(
    (cause: unknown) => {
      if (!(cause instanceof UnreadableMedia)) throw cause;
      throw new UnusableFile('broken', 'The file cannot be decoded.', { cause });
    },
  );
  const added = await keepItem(
    {
      account,
      project,
      type,
      generationType: type,
      contentType,
      width,
      height,
      durationSeconds,
      nsfw: false,
      promptId: newId('prm_'),
      prompt,
    },
    { extension, chunks: createReadStream(file), thumbnail: thumbnail.bytes },
    dependencies,
  );
  return added.outcome === 'stored'
    ? findAsset(dependencies.database, { account, type, id: added.item.id })
    : undefined;
}
