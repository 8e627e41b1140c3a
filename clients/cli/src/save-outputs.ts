import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Output } from 'renderkit';
import { save } from 'renderkit/node';
import { UsageError } from './cli-error.ts';
import type { Session } from './session.ts';

/** What is saved: an output, or an item of the library. */
export type Item = Pick<Output, 'id' | 'type' | 'url'>;

/**
 * Writes outputs: to stdout for `-`, into a folder, or to a file, several with numbers in their names. Answers the paths.
 * @throws UsageError where several outputs are to go to stdout
 */
export async function saveOutputs(
  { client }: Session,
  outputs: readonly Item[],
  target: string,
): Promise<string[]> {
  if (target === '-') {
    const [only, another] = outputs;
    if (only === undefined || another !== undefined)
      throw new UsageError(`There are ${outputs.length} outputs: name a folder with -o.`);
    const { body } = await client.fetchOutput(only);
    if (body !== null) await pipeline(Readable.fromWeb(body), process.stdout, { end: false });
    return [];
  }
  const names = outputNames(outputs, target);
  for (const [i, output] of outputs.entries())
    await save(await client.fetchOutput(output), names[i] ?? output.id);
  return names;
}

/** Whether a path is that of a folder: by the / at its end, or because there is one. */
export function isFolder(target: string): boolean {
  return /[/\\]$/.test(target) || statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Where each output goes. */
export function outputNames(outputs: readonly Item[], target: string): string[] {
  const isInFolder = isFolder(target);
  const folder = isInFolder ? target : path.dirname(target);
  mkdirSync(folder, { recursive: true });
  return outputs.map((output, i) => {
    if (isInFolder) return path.join(target, `${output.id}${extensionOf(output)}`);
    const { dir, name, ext } = path.parse(target);
    const number = outputs.length === 1 ? '' : `-${i + 1}`;
    return path.join(dir, `${name}${number}${ext === '' ? extensionOf(output) : ext}`);
  });
}

function extensionOf({ url, type }: Item): string {
  const extension = path.extname(new URL(url, 'http://localhost').pathname);
  return /^\.[a-z0-9]{2,5}$/.test(extension) ? extension : type === 'video' ? '.mp4' : '.png';
}
