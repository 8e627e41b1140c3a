import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { MediaSource } from '@renderkit/engine-kit/route.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { keepFiles } from '../storage/keep-files.ts';
import type { MediaStore } from '../storage/open-media.ts';
import { findSampleImage, writeSampleImage } from './sample-store.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'models', 'samples');
/** Pixels, of both files. */
const side = 768;

/** What stands for the images that somebody would bring: ids in the installation's library, and the files. */
const photo = { id: 'ast_sample_image', file: 'image.png' };
const mask = { id: 'ast_sample_mask', file: 'mask.png' };
const standIns: Partial<Record<MediaSource, typeof photo>> = {
  image: photo,
  references: photo,
  start_image: photo,
  end_image: photo,
  mask,
};

/** Whether a sample can bring such a medium: there is no video and no audio for samples. */
export function hasStandIn(source: MediaSource): boolean {
  return standIns[source] !== undefined;
}

/** The id of what stands for a medium, stored where it is not yet. @throws Error where there is none */
export async function keepStandIn(source: MediaSource, dependencies: MediaStore): Promise<string> {
  const image = standIns[source];
  if (image === undefined) throw new Error(`nothing stands for ${source} in a sample`);
  const key = await findSampleImage(dependencies.database, image.id);
  if (key !== undefined && (await dependencies.storage.open(key)) !== undefined) return image.id;
  const name = `${image.id}.png`;
  const chunks = [await readFile(path.join(folder, image.file))];
  // A folder of its own each time: two that store it at once do not take it from each other.
  const files = { owner: newId('ast_'), files: { image: { name, chunks } } };
  await keepFiles(files, dependencies, async (transaction, kept) => {
    const row = { id: image.id, ...kept.image, width: side, height: side };
    return { named: await writeSampleImage(transaction, row, key) };
  });
  return image.id;
}
