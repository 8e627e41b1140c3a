import type { Upload } from './objects.generated.ts';
import type { RequestOptions } from './transport.ts';

/** Bytes, in any form that the platform offers. */
export type FileInput =
  | Blob
  | ArrayBuffer
  | Uint8Array
  | Response
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/**
 * An image, video or audio for a request. It is the id of an upload, the id of an item in the library, an https
 * address, or the bytes. The client uploads bytes first. A string is never a path: use `fromPath` of `renderkit/node`
 * to open a file.
 */
export type Reference = string | FileInput | Promise<string | FileInput>;

/** The request `T`, with bytes allowed in every field that takes a reference. */
export type WithFiles<T> = {
  [K in keyof T]: K extends 'image' | 'mask' | 'start_image' | 'end_image' | 'source_video'
    ? Reference | Exclude<T[K], string>
    : K extends 'reference_images' | 'reference_audios'
      ? Reference[] | Exclude<T[K], string[]>
      : T[K];
};

/** Fields that take one reference; `several` take a list. `clients/cli/src/create/kinds.ts` has the same lists. */
const single = ['image', 'mask', 'start_image', 'end_image', 'source_video'] as const;
const several = ['reference_images', 'reference_audios'] as const;

/** @internal Sends a file as an upload. */
export type SendFile = (file: Blob, name: string, options: RequestOptions | undefined) => Promise<Upload>;

/**
 * The service keeps an unused upload for 30 days. The client reuses the id of an upload for one day. `keptDays` in
 * `service/src/uploads/expire-unused.ts` decides the 30 days.
 */
const reuseMs = 24 * 3_600_000;

/**
 * @internal Uploads the bytes in a request and puts the ids of the uploads in their place. Uploads each object once.
 */
export class References {
  readonly #sendFile: SendFile;
  readonly #sent = new WeakMap<object, { at: number; id: Promise<string> }>();

  constructor(sendFile: SendFile) {
    this.#sendFile = sendFile;
  }

  /** Returns the request with every reference as a string. Leaves strings as they are; the server validates them. */
  async resolve<T extends object>(request: WithFiles<T>, options: RequestOptions | undefined): Promise<T> {
    const resolved: Record<string, unknown> = { ...request };
    const given = request as Record<string, Reference | Reference[] | undefined>;
    await Promise.all([
      ...single.map(async (field) => {
        const value = given[field];
        if (value !== undefined) resolved[field] = await this.#textOf(value as Reference, options);
      }),
      ...several.map(async (field) => {
        const values = given[field];
        if (!Array.isArray(values)) return;
        resolved[field] = await Promise.all(values.map((value) => this.#textOf(value, options)));
      }),
    ]);
    return resolved as T;
  }

  async #textOf(reference: Reference, options: RequestOptions | undefined): Promise<unknown> {
    if (typeof reference !== 'object' || reference === null) return reference;
    const known = this.#sent.get(reference);
    if (known !== undefined && Date.now() - known.at < reuseMs) return known.id;
    const id = this.#upload(reference, options);
    this.#sent.set(reference, { at: Date.now(), id });
    // After a failure the same object may be uploaded again.
    id.catch(() => this.#sent.delete(reference));
    return id;
  }

  async #upload(reference: Exclude<Reference, string>, options: RequestOptions | undefined): Promise<string> {
    const value = await reference;
    if (typeof value === 'string') return value;
    const { blob, name } = await blobOf(value);
    return (await this.#sendFile(blob, name, options)).id;
  }
}

/** Parts of a Blob: bytes whose memory is not shared. */
type Part = ArrayBuffer | Uint8Array<ArrayBuffer>;

/**
 * @internal Returns the bytes as a Blob, and the file name to send. The server detects the type from the bytes, not
 * from the name.
 */
export async function blobOf(file: FileInput): Promise<{ blob: Blob; name: string }> {
  if (file instanceof Blob) {
    const { name } = file as { name?: unknown };
    return { blob: file, name: typeof name === 'string' && name !== '' ? name : 'file' };
  }
  if (file instanceof Response) return { blob: await file.blob(), name: nameOf(file.url) };
  if (file instanceof ArrayBuffer) return { blob: new Blob([file]), name: 'file' };
  // Copied, because the memory may be shared.
  if (ArrayBuffer.isView(file)) return { blob: new Blob([new Uint8Array(file)]), name: 'file' };
  const parts: Part[] = [];
  for await (const part of file as AsyncIterable<Uint8Array>) parts.push(part as Part);
  return { blob: new Blob(parts), name: 'file' };
}

function nameOf(url: string): string {
  const last = url.split(/[?#]/)[0]?.split('/').pop();
  return last === undefined || last === '' ? 'file' : last;
}
