import { glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
/** 9 takes 0.12 s of processor time for the whole console; 11, the highest, takes 2.1 s and saves 7 % more. */
const brotliQuality = 9;
/** For smaller files, compression saves less than a packet. */
const minBytes = 1_024;

/**
 * Writes a compressed copy (`.br`, `.gz`) next to each script, style and drawing of a folder, as a server sends them.
 */
export async function compressFiles(folder: string): Promise<void> {
  for await (const name of glob('**/*.{js,css,svg}', { cwd: folder })) {
    const file = path.join(folder, name);
    const text = await readFile(file);
    if (text.length < minBytes) continue;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    };
    const [br, gz] = await Promise.all([brotli(text, { params }), gzipped(text, { level: 9 })]);
    await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
  }
}
