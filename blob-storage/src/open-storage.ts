import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { within } from '@renderkit/server-kit/work/within.ts';
import type { BlobStorage } from './blob-storage.ts';
import { openDiskBlobStorage } from './disk-blob-storage.ts';
import { openS3BlobStorage } from './s3/s3-blob-storage.ts';
import { S3Refusal } from './s3/s3-client.ts';
import type { S3Config } from './s3/s3-config.ts';

/**
 * Where media are stored: in the bucket if there is one, else in the data directory. `s3/s3-config.ts` reads the bucket
 * from the environment, and `studio/src/storage/media-location.ts` refuses a part that names another location.
 */
export type MediaLocation = { dataDirectory: string; s3?: S3Config | undefined };

/** Opens the storage without a check that it works. */
export async function openStorage({
  dataDirectory,
  s3,
}: MediaLocation): Promise<BlobStorage & AsyncDisposable> {
  if (s3 !== undefined) return openS3BlobStorage(s3);
  return { ...(await openDiskBlobStorage(dataDirectory)), [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** Milliseconds. A start that must fail is to fail within twenty seconds, and other steps come before this one. */
const checkMs = 10_000;

/**
 * Like `openStorage`, for the start of a part of the studio: reports at once if a bucket cannot be used.
 * @throws ConfigError
 */
export async function openCheckedStorage(location: MediaLocation): Promise<BlobStorage & AsyncDisposable> {
  const storage = await openStorage(location);
  const { s3 } = location;
  if (s3 === undefined) return storage;
  try {
    const checked = await within(
      storage.check().then(() => true),
      checkMs,
    );
    if (checked === undefined)
      throw new Error(
        `it did not answer within ${checkMs / 1_000} s: set S3_ENDPOINT, or look whether the storage serves`,
      );
    return storage;
  } catch (error) {
    await storage[Symbol.asyncDispose]();
    throw new ConfigError(sentenceFor(s3, error), { cause: error });
  }
}

/** What the codes of refusals mean for the operator who set the variables. */
const meanings: Partial<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket: make it, or set S3_BUCKET to one that is there',
  InvalidAccessKeyId: 'it does not know the access key: set S3_ACCESS_KEY_ID to one that it knows',
  SignatureDoesNotMatch: 'the secret is not that of the access key: set S3_SECRET_ACCESS_KEY',
  AccessDenied: 'the access key may not list, read, write and delete there: allow it, or set another key',
  AuthorizationHeaderMalformed: 'the region is another one: set S3_REGION',
  RequestTimeTooSkewed: 'the clocks of this machine and of the storage differ too much: set them right',
};

function sentenceFor({ endpoint, bucket, pathStyle }: S3Config, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const meaning = cause instanceof S3Refusal ? meanings[cause.code] : undefined;
  const reason = meaning ?? (cause instanceof S3Refusal ? answerOf(cause) : reasonOf(cause));
  const style =
    meaning !== undefined || pathStyle
      ? ''
      : `; it was asked at ${bucket}.${new URL(endpoint).host}: where the storage knows no such names, set S3_PATH_STYLE=on`;
  return `The bucket ${bucket} at ${endpoint} cannot be used: ${reason.replace(/\.$/, '')}${style}.`;
}

/** The sentence for codes that neither the protocol nor the documents of its servers define. */
function answerOf({ status, code }: S3Refusal): string {
  const answer = `it answered ${`${status} ${code}`.trimEnd()}`;
  return status === 429 || status >= 500
    ? `${answer}: look at the storage and at what stands in front of it, and start again once it serves`
    : `${answer}: set S3_ENDPOINT (with http:// or https://), S3_REGION and S3_BUCKET as it expects them`;
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const cut = new Set(['UND_ERR_SOCKET', 'ECONNRESET']);

function reasonOf(error: unknown): string {
  const { code = 'no reason given', message, name } = error as NodeJS.ErrnoException;
  if (unreachable.has(code) || message === '') return `nothing answers there (${code}): set S3_ENDPOINT`;
  // OpenSSL's message is a line of its source code, so it is not shown.
  if (/^(?:ERR_SSL_|EPROTO)/.test(code))
    return `no TLS connection can be made there (${code}): set S3_ENDPOINT with http:// where it speaks no TLS, or with another port`;
  if (cut.has(code) || name === 'HTTPParserError')
    return 'what listens there does not answer in HTTP: set S3_ENDPOINT to the port of the storage, with https:// where it speaks TLS';
  return message;
}
