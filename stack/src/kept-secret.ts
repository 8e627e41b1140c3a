import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';

/** Reads a secret that is kept in a file; undefined when there is none yet. */
export async function readKeptSecret(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.trim() === '' ? undefined : text.trim();
}

/** The secret kept in a file, made up (32 random bytes, hexadecimal) and kept with mode 0600 when there is none. */
export async function keepSecret(file: string): Promise<string> {
  const kept = await readKeptSecret(file);
  if (kept !== undefined) return kept;
  const secret = randomBytes(32).toString('hex');
  // Renamed when it is whole and on disk: half a key would lock out what was sealed with the other half.
  const unfinished = `${file}.${process.pid}`;
  const handle = await open(unfinished, 'w', 0o600);
  await handle.writeFile(`${secret}\n`);
  await handle.sync();
  await handle.close();
  await rename(unfinished, file);
  return secret;
}
