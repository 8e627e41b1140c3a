import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Renderkit from 'renderkit';
import { type Output, RenderkitError } from 'renderkit';
import { save } from 'renderkit/node';
import { UsageError } from './cli-error.ts';
import { isOfSystem } from './failure.ts';
import type { Session } from './session.ts';

/** An item to save: an output, or an item of the library. */
export type Item = Pick<Output, 'id' | 'type' | 'url'>;

/**
 * Writes outputs: to stdout for `-`, into a folder, or to a file. Several files get numbers in their names. Returns the
 * paths.
 *
 * @throws UsageError when several outputs would go to stdout; any error that `saveOutput` throws
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
  for (const [i, output] of outputs.entries()) await saveOutput(client, output, names[i] ?? output.id);
  return names;
}

/** How often an interrupted download is tried. */
const tries = 3;

/**
 * Writes one output to a file.
 *
 * @throws RenderkitError `not_found` when the output's file no longer exists, `connection_failed` when the download
 *   fails; an error of the file system
 */
export async function saveOutput(client: Renderkit, output: Item, file: string): Promise<void> {
  for (let number = 1; ; number += 1) {
    const answer = await client.fetchOutput(output);
    try {
      return await save(answer, file);
    } catch (cause) {
      if (isOfSystem(cause)) throw cause;
      if (number === tries)
        throw new RenderkitError('connection_failed', `The file of ${output.id} was cut off.`, {
          cause,
          retryable: true,
        });
    }
  }
}

/**
 * Creates the folder for outputs. Called before anything is paid, so that no paid output fails to be written.
 *
 * @throws an error of the file system
 */
export function prepareFolder(target: string): void {
  const folder = folderOf(target);
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.W_OK);
}

/** Refuses a single file as the target of several ids, which would overwrite each other. @throws UsageError */
export function refuseOneFile(ids: readonly string[], target: string | undefined): void {
  if (ids.length > 1 && target !== undefined && !isFolder(target))
    throw new UsageError(`${target} is a single file.`, 'Name a folder with -o, with / at its end.');
}

/** Returns whether a path is a folder: it ends with /, or such a folder exists. */
export function isFolder(target: string): boolean {
  return /[/\\]$/.test(target) || statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Returns the path of each output, and creates the folder. */
export function outputNames(outputs: readonly Item[], target: string): string[] {
  const isInFolder = isFolder(target);
  mkdirSync(folderOf(target), { recursive: true });
  return outputs.map((output, i) => {
    if (isInFolder) return path.join(target, `${output.id}${extensionOf(output)}`);
    const { dir, name, ext } = path.parse(target);
    const number = outputs.length === 1 ? '' : `-${i + 1}`;
    return path.join(dir, `${name}${number}${ext === '' ? extensionOf(output) : ext}`);
  });
}

const folderOf = (target: string) => (isFolder(target) ? target : path.dirname(target));

function extensionOf({ url, type }: Item): string {
  const extension = path.extname(new URL(url, 'http://localhost').pathname);
  return /^\.[a-z0-9]{2,5}$/.test(extension) ? extension : type === 'video' ? '.mp4' : '.png';
}
