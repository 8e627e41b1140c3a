import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { checkManifest } from '@renderkit/manifests/check-manifest.ts';
import { filesOf, readManifest } from '@renderkit/manifests/read-manifest.ts';
import type { ModelFiles } from './publish.ts';
import { readList } from './read-list.ts';
import type { CatalogLists } from './snapshot.ts';

/** The content of a file of the catalog, checked as far as possible without the database. */
export type CatalogFile =
  | { file: string; kind: 'model'; id: string; model: ModelFiles }
  | {
      [Name in keyof CatalogLists]: { file: string; kind: Name; id: Name; content: CatalogLists[Name] };
    }[keyof CatalogLists];

/** A file that cannot be used. */
export type BrokenFile = { file: string; problems: readonly Problem[] };

const modelName = /\.model\.(?:ya?ml|json)$/;
const listName = /^(plans|styles|suggestions)\.(?:ya?ml|json)$/;
const maxWorkflowBytes = 8 * 1024 * 1024;
const maxImageBytes = 16 * 1024 * 1024;

/**
 * Returns the full paths of the catalog's files in a folder, lists first: `NAME.model.yaml`, `plans.yaml`,
 * `styles.yaml`, `suggestions.yaml`, each as JSON too. Returns none if there is no such folder.
 */
export async function findCatalogFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const sorted = names.toSorted((a, b) => (a < b ? -1 : 1));
  return [
    ...sorted.filter((name) => listName.test(name)),
    ...sorted.filter((name) => modelName.test(name)),
  ].map((name) => path.join(folder, name));
}

/** Returns false also if nothing exists at the path. */
export async function isFolder(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * Reads a file of the catalog, and the files that a manifest names. Without `list` the file's name decides what it is.
 */
export async function readCatalogFile(
  file: string,
  list = listName.exec(path.basename(file))?.[1] as keyof CatalogLists | undefined,
): Promise<CatalogFile | BrokenFile> {
  if (list === undefined) return readModelFile(file);
  const text = await readText(file, file);
  return typeof text === 'string' ? readListFile(file, list, text) : { file, problems: [text] };
}

/** Returns a digest of the files' raw texts, which is much faster than parsing them. */
export async function digestOfTexts(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(file)));
  const digest = createHash('sha256');
  for (const text of texts) digest.update(`${text.length} `).update(text);
  return digest.digest('hex');
}

export function isBroken(read: CatalogFile | BrokenFile): read is BrokenFile {
  return 'problems' in read;
}

function readListFile(file: string, kind: keyof CatalogLists, text: string): CatalogFile | BrokenFile {
  const { content, problems } = readList(kind, text);
  // `readList` returns the content that belongs to this name.
  return problems === undefined ? ({ file, kind, id: kind, content } as CatalogFile) : { file, problems };
}

/** Reads a manifest, whatever its file name, and the files that it names. */
export async function readModelFile(
  file: string,
): Promise<Extract<CatalogFile, { kind: 'model' }> | BrokenFile> {
  const source = await readText(file, file);
  if (typeof source !== 'string') return { file, problems: [source] };
  const read = readManifest(source);
  if (read.manifest === undefined) return { file, problems: read.problems };
  const files: Record<string, string> = {};
  const problems: Problem[] = [];
  for (const name of filesOf(read.manifest)) {
    const text = await readText(path.join(path.dirname(file), name), name);
    const at = read.manifest.routes.findIndex(({ workflow }) => workflow === name);
    if (typeof text === 'string') files[name] = text;
    else problems.push({ ...text, line: read.lineOf(['routes', at, 'workflow']) });
  }
  const image = await readImage(path.dirname(file), read.manifest.thumbnail);
  if (image !== undefined && 'code' in image) problems.push({ ...image, line: read.lineOf(['thumbnail']) });
  if (problems.length > 0) return { file, problems };
  const { model, problems: wrong } = readModelTexts(source, files);
  return model === undefined || wrong.length > 0
    ? { file, problems: wrong }
    : {
        file,
        kind: 'model',
        id: model.manifest.id,
        model: image === undefined || 'code' in image ? model : { ...model, image },
      };
}

const imageName = /\.(?:png|jpe?g|webp)$/i;

async function readImage(folder: string, name: string | null): Promise<ModelFiles['image'] | Problem> {
  if (name === null) return undefined;
  if (!imageName.test(name))
    return { code: 'choice_unknown', message: `${name} is no PNG, JPEG or WebP by its name.` };
  const bytes = await readBytes(path.join(folder, name), name, maxImageBytes);
  return bytes instanceof Uint8Array ? { name, bytes } : bytes;
}

/**
 * Reads a model from the texts of its files, by the names that its manifest gives. Also returns the problems that keep
 * it from being offered, as far as the texts show them. Returns no model if the manifest cannot be read at all.
 */
export function readModelTexts(
  source: string,
  files: Readonly<Record<string, string>>,
): { model: ModelFiles | undefined; problems: readonly Problem[] } {
  const read = readManifest(source);
  if (read.manifest === undefined) return { model: undefined, problems: read.problems };
  const problems = checkManifest(read, { files: new Map(Object.entries(files)) });
  return { model: { manifest: read.manifest, source, files }, problems };
}

/** Returns the file's text, or why there is none. */
async function readText(file: string, shownAs: string): Promise<string | Problem> {
  const bytes = await readBytes(file, shownAs, maxWorkflowBytes);
  if (!(bytes instanceof Uint8Array)) return bytes;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    return { code: 'invalid_yaml', message: `${shownAs} cannot be read: ${(error as Error).message}` };
  }
}

async function readBytes(file: string, shownAs: string, maxBytes: number): Promise<Uint8Array | Problem> {
  try {
    const bytes = await readFile(file);
    return bytes.length > maxBytes
      ? { code: 'invalid_yaml', message: `${shownAs} is larger than ${maxBytes} bytes.` }
      : bytes;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? { code: 'file_missing', message: `There is no file ${shownAs}.` }
      : { code: 'invalid_yaml', message: `${shownAs} cannot be read: ${message}` };
  }
}
