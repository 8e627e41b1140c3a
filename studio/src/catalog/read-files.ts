import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { checkManifest } from '@renderkit/manifests/check-manifest.ts';
import { filesOf, readManifest } from '@renderkit/manifests/read-manifest.ts';
import type { ModelFiles } from './publish.ts';
import { readList } from './read-list.ts';
import type { CatalogLists } from './snapshot.ts';

/** What a file of the catalog says, checked as far as it can be by itself. */
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
 * The files of the catalog in a folder, lists first, by their full paths: `NAME.model.yaml`, `plans.yaml`, `styles.yaml`,
 * `suggestions.yaml`, each as JSON too. Nothing where there is no such folder.
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

/** False where there is nothing at all. */
export async function isFolder(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Reads a file of the catalog, and what a manifest names beside itself. Without `list` its name says what it is. */
export async function readCatalogFile(
  file: string,
  list = listName.exec(path.basename(file))?.[1] as keyof CatalogLists | undefined,
): Promise<CatalogFile | BrokenFile> {
  if (list === undefined) return readModelFile(file);
  const text = await readText(file, file);
  return typeof text === 'string' ? readListFile(file, list, text) : { file, problems: [text] };
}

/** Names the texts of files, read as they are: quicker by far than to see what they say. */
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
  // The list of this name has the content of this name.
  return problems === undefined ? ({ file, kind, id: kind, content } as CatalogFile) : { file, problems };
}

/** Reads a manifest, whatever its file is called, and what it names beside itself. */
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
 * A model from the texts of its files, by the names that its manifest gives, with what keeps it from being offered as far as
 * that can be told by itself. No model where the manifest cannot be read at all.
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

/** The file's text, or why there is none. */
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
