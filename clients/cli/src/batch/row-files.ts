import path from 'node:path';
import type Renderkit from 'renderkit';
import { severalReferences, singleReferences } from '../create/kinds.ts';
import { fileOf } from '../inputs.ts';

type Request = Record<string, unknown>;

const fileFields = new Set<string>([...singleReferences, ...severalReferences]);

/**
 * Returns the request with each `@path` replaced, in single fields and in lists of fields that take files. In other
 * fields an @ is an ordinary character.
 */
async function replaceFiles(
  request: Request,
  replace: (path: string) => string | Promise<string>,
): Promise<Request> {
  const replaced = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map(replaced));
    return typeof value === 'string' && value.startsWith('@') ? replace(value.slice(1)) : value;
  };
  const entries = Object.entries(request).map(async ([name, value]) => [
    name,
    fileFields.has(name) ? await replaced(value) : value,
  ]);
  return Object.fromEntries(await Promise.all(entries)) as Request;
}

/** Returns the request without its file names. The price does not depend on the file. */
export const withoutFileNames = (request: Request): Promise<Request> => replaceFiles(request, () => '@');

/** Uploads the files of a batch's rows, each file once per run. */
export class RowFiles {
  readonly #client: Renderkit;
  readonly #folder: string;
  readonly #ids = new Map<string, Promise<string>>();

  /** @param folder the folder that relative paths start from */
  constructor(client: Renderkit, folder: string) {
    this.#client = client;
    this.#folder = folder;
  }

  /** Checks that every file can be read. @throws UsageError that names an unreadable file */
  async check(request: Request): Promise<void> {
    await replaceFiles(request, async (name) => {
      await fileOf(path.resolve(this.#folder, name));
      return name;
    });
  }

  /**
   * Returns the request with the ids of its uploads.
   *
   * @throws RenderkitError when an upload is refused, UsageError when a file cannot be read
   */
  resolve(request: Request, signal?: AbortSignal): Promise<Request> {
    return replaceFiles(request, (name) => this.#idOf(path.resolve(this.#folder, name), signal));
  }

  #idOf(file: string, signal: AbortSignal | undefined): Promise<string> {
    const known = this.#ids.get(file);
    if (known !== undefined) return known;
    const send = async () => (await this.#client.uploads.create(await fileOf(file), { signal })).id;
    const id = send();
    this.#ids.set(file, id);
    // After a failure, another row may upload the same file again.
    id.catch(() => this.#ids.delete(file));
    return id;
  }

  /** Deletes all uploads of this run. Called when they served only to estimate a price. */
  async remove(): Promise<void> {
    const removals = [...this.#ids.values()].map(async (id) => this.#client.uploads.delete(await id));
    await Promise.allSettled(removals);
    this.#ids.clear();
  }
}
