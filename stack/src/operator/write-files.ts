import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exportModel } from '@renderkit/studio/administration/models.ts';
import { readOriginal } from '@renderkit/studio/catalog/thumbnails.ts';
import type { MediaStore } from '@renderkit/studio/storage/open-media.ts';

/**
 * Writes the newest version of a model into a folder: its manifest and the files that belong to it. Returns their
 * paths.
 * @throws ModelRefused when there is no such model
 */
export async function writeModel(id: string, folder: string, media: MediaStore): Promise<string[]> {
  const { files, image } = await exportModel(media.database, id);
  const bytes = image === null ? undefined : await readOriginal(image.key, image.name, media.storage);
  return writeFiles(folder, {
    ...files,
    ...(image !== null && bytes !== undefined && { [image.name]: bytes }),
  });
}

/** Writes files into a folder and creates the folder if it is missing. Returns their paths. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await writeFile(file, content);
    written.push(file);
  }
  return written;
}
