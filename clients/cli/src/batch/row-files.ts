import path from 'node:path';
import type Renderkit from 'renderkit';
import { severalReferences, singleReferences } from '../create/kinds.ts';
import { fileOf } from '../inputs.ts';

type Request = Record<string, unknown>;

const fileFields = new Set<string>([...singleReferences, ...severalReferences]);

/**
 * The request with something else in place of each `@path`, where a field takes files: alone or in a list. Elsewhere an @ is
 * a letter as any other.
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

/** The request without the names of its files: which ones they are changes no price. */
export const withoutFileNames = (request: Request): Promise<Request> => replaceFiles(request, () => '@');

/** The files of the rows of a batch, each sent once in a run. */
export class RowFiles {
  readonly #client: Renderkit;
  readonly #folder: string;
  readonly #ids = new Map<string, Promise<string>>();

  /** @param folder where their paths count from */
  constructor(client: Renderkit, folder: string) {
    this.#client = client;
    this.#folder = folder;
  }

  /** @throws UsageError that names a file which cannot be read */
  async check(request: Request): Promise<void> {
    await replaceFiles(request, async (name) => {
      await fileOf(path.resolve(this.#folder, name));
      return name;
    });
  }

  /** The request with the ids of its files. @throws RenderkitError where one is refused, UsageError where it cannot be read */
  resolve(request: Request, signal?: AbortSignal): Promise<Request> {
    return replaceFiles(request, (name) => this.#idOf(path.resolve(this.#folder, name), signal));
  }

  #idOf(file: string, signal: AbortSignal | undefined): Promise<string> {
    const known = this.#ids.get(file);
    if (known !== undefined) return known;
    const send = async () => (await this.#client.uploads.create(await fileOf(file), { signal })).id;
    const id = send();
    this.#ids.set(file, id);
    // What failed may be tried again by another row.
    id.catch(() => this.#ids.delete(file));
    return id;
  }

  /** Takes away what was sent for its price alone. */
  async remove(): Promise<void> {
    const removals = [...this.#ids.values()].map(async (id) => this.#client.uploads.delete(await id));
    await Promise.allSettled(removals);
    this.#ids.clear();
  }
}
