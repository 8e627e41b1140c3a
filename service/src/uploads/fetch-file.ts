import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Egress, EgressHead, EgressResult } from '@renderkit/egress/guarded-fetch.ts';

export type Fetched = AsyncDisposable & {
  /** What the server says of its length; 0 where it does not. */
  minBytes: number;
  /** The file's bytes. They end in FetchFailed where the rest cannot be had. */
  body: () => AsyncIterable<Uint8Array>;
};

/** An address that gave no file. `kind` is for the operator's log alone: nobody is to learn what lies behind it. */
export class FetchFailed extends Error {
  override name = 'FetchFailed';
  readonly kind: string;
  /** It was given up by us, and may be tried again. */
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
 * Fetches a file by the guarded way out, as fast as it is read. Answers once its first bytes are there; disposing ends
 * it. @throws FetchFailed
 */
export async function fetchFile(
  egress: Egress,
  file: { url: string; totalTimeoutMs: number; maxBytes: number; signal?: AbortSignal },
): Promise<Fetched> {
  const ending = new AbortController();
  const bytes = new PassThrough();
  // The reader gets the error; without a listener it would end the process before anybody reads.
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

/** Of a body that is sent as it is. */
function lengthOf(headers: EgressHead['headers']): number {
  const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined;
  return typeof length === 'string' && /^\d{1,12}$/.test(length) ? Number(length) : 0;
}

function finish(bytes: PassThrough, result: EgressResult): void {
  if (!result.ok) bytes.destroy(new FetchFailed(result.kind));
  else if (result.status !== 200) bytes.destroy(new FetchFailed(`status ${result.status}`));
  else bytes.end();
}
