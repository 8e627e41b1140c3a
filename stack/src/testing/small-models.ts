import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../studio/models/', import.meta.url));
/** The models that are used when a request names none, and those for the steps after them. */
const models = ['atelier-1', 'retouch-1', 'drift-1', 'animate-1', 'onward-1'];
const pixelsPerPixel = 4;

/**
 * Writes models of the product, with sides of a quarter of their length, into a studio's data directory. The studio
 * reads them when it starts. Pictures and videos are handled in the same way, but drawing them costs little.
 */
export async function writeSmallModels(dataDirectory: string): Promise<void> {
  const own = path.join(dataDirectory, 'models');
  await mkdir(own, { recursive: true });
  await Promise.all(
    models.map(async (model) => {
      const file = `${model}.model.yaml`;
      await writeFile(path.join(own, file), withSmallSizes(await readFile(path.join(folder, file), 'utf8')));
    }),
  );
}

/** Sides stay even, as videos need them. */
function withSmallSizes(manifest: string): string {
  return manifest.replaceAll(
    /\b(width|height): (\d+)/g,
    (_, side: string, pixels: string) => `${side}: ${2 * Math.round(Number(pixels) / pixelsPerPixel / 2)}`,
  );
}
