import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Egress, EgressHead, EgressResult } from '@renderkit/egress/guarded-fetch.ts';

export type Fetched = AsyncDisposable & {
  /** The length that the server announces; 0 where it announces none. */
  minBytes: number;
  /** Returns the file's bytes. They end with a FetchFailed error where the rest cannot be read. */
  body: () => AsyncIterable<Uint8Array>;
};

/**
 * An address returned no file. `kind` is only for the operator's log: clients must not learn what is behind the
 * address.
 */
export class FetchFailed extends Error {
  override name = 'FetchFailed';
  readonly kind: string;
  /** Whether the service itself aborted the fetch, so that it may be tried again. */
  readonly aborted: boolean;

  constructor(kind: string) {
    super(`the address gave no file (${kind})`);
    this.kind = kind;
    this.aborted = kind === 'aborted';
  }
}

const maxRedirects = 3;
const minBytesPerSecond = 256 * 1024;

/**
 * Fetches a file through the guarded egress, as fast as the caller reads. Resolves once the first bytes are there;
 * disposing the result ends the fetch. `imports.ts` decides whether a failed fetch is repeated.
 * @throws FetchFailed
 */
export async function fetchFile(
  egress: Egress,
  file: { url: string; totalTimeoutMs: number; maxBytes: number; signal?: AbortSignal },
): Promise<Fetched> {
  const ending = new AbortController();
  const bytes = new PassThrough();
  // The reader gets the error. Without a listener, an error before anybody reads would end the process.
  bytes.on('error', () => undefined);
  const signal = AbortSignal.any([ending.signal, ...(file.signal === undefined ? [] : [file.signal])]);
  let minBytes = 0;
  const began = new Promise<void>((resolve) => {
    bytes.once('readable', resolve).once('close', resolve);
  });
  const fetching = egress
    .request({
      method: 'GET',
      url: file.url,
      headers: { accept: 'image/jpeg, image/png, video/mp4, video/quicktime, audio/*' },
      totalTimeoutMs: file.totalTimeoutMs,
      maxResponseBytes: file.maxBytes,
      whenLarger: 'refuse',
      maxRedirects,
      minBytesPerSecond,
      signal,
      onBody: async (chunk, { status, headers }) => {
        if (status !== 200) throw new FetchFailed(`status ${status}`);
        minBytes = lengthOf(headers);
        if (!bytes.write(chunk)) await once(bytes, 'drain', { signal });
      },
    })
    .then((result) => finish(bytes, result))
    .catch((error: unknown) => {
      bytes.destroy(error instanceof FetchFailed ? error : new FetchFailed('aborted'));
    });
  await began;
  if (bytes.errored !== null) throw bytes.errored;
  return {
    minBytes,
    body: () => bytes,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      bytes.destroy();
      await fetching;
    },
  };
}

/** Returns the announced length of a body without content encoding; otherwise 0. */
function lengthOf(headers: EgressHead['headers']): number {
  const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined;
  return typeof length === 'string' && /^\d{1,12}$/.test(length) ? Number(length) : 0;
}

function finish(bytes: PassThrough, result: EgressResult): void {
  if (!result.ok) bytes.destroy(new FetchFailed(result.kind));
  else if (result.status !== 200) bytes.destroy(new FetchFailed(`status ${result.status}`));
  else bytes.end();
}
