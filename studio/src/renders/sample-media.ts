import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { MediaSource } from '@renderkit/engine-kit/route.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { keepFiles } from '../storage/keep-files.ts';
import type { MediaStore } from '../storage/open-media.ts';
import { findSampleImage, writeSampleImage } from './sample-store.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'models', 'samples');
/** Width and height of both files, in pixels. */
const side = 768;

/** Stand-ins for the images that a user would bring: ids in the installation's library, and the files. */
const photo = { id: 'ast_sample_image', file: 'image.png' };
const mask = { id: 'ast_sample_mask', file: 'mask.png' };
const standIns: Partial<Record<MediaSource, typeof photo>> = {
  image: photo,
  references: photo,
  start_image: photo,
  end_image: photo,
  mask,
};

/** Returns whether samples have a stand-in for such a medium. There is none for video and audio. */
export function hasStandIn(source: MediaSource): boolean {
  return standIns[source] !== undefined;
}

/** Returns the id of the stand-in for a medium, and stores it if it is missing. @throws Error if there is none */
export async function keepStandIn(source: MediaSource, dependencies: MediaStore): Promise<string> {
  const image = standIns[source];
  if (image === undefined) throw new Error(`nothing stands for ${source} in a sample`);
  const key = await findSampleImage(dependencies.database, image.id);
  if (key !== undefined && (await dependencies.storage.open(key)) !== undefined) return image.id;
  const name = `${image.id}.png`;
  const chunks = [await readFile(path.join(folder, image.file))];
  // A new folder each time: two processes that store the image at once do not take it from each other.
  const files = { owner: newId('ast_'), files: { image: { name, chunks } } };
  await keepFiles(files, dependencies, async (transaction, kept) => {
    const row = { id: image.id, ...kept.image, width: side, height: side };
    return { named: await writeSampleImage(transaction, row, key) };
  });
  return image.id;
}
