import { setTimeout as sleep } from 'node:timers/promises';
import { MediaUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import { AwsV4Signer } from 'aws4fetch';
import { type Dispatcher, Pool } from 'undici';
import { readTag } from './s3-xml.ts';
import type { S3Config } from './s3-config.ts';

const connectMs = 5_000;
/** Milliseconds until the head of an answer. After a large upload the server may need time to join the parts. */
const answerMs = 30_000;
const silentMs = 30_000;
const maxConnections = 32;
/** Connections for slow readers, so that other requests do not wait for them. */
const maxReaders = 64;
/** A listing of a thousand keys has about 400 kB. */
const maxTextBytes = 4 * 1024 * 1024;
/** Milliseconds before the second to the fifth try. A server that asks to slow down gets all tries. */
export const retryDelaysMs: readonly number[] = [100, 300, 1_000, 3_000];

export type S3Request = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** A key of the bucket; absent for the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** The XML element that the answer must contain. A page of another server must not count as an empty listing. */
  element?: string;
  signal?: AbortSignal;
  /** A slow reader takes the answer at its own speed. */
  isForReader?: boolean;
};

export type S3Answer = {
  status: number;
  header: (name: string) => string | undefined;
  body: Dispatcher.ResponseData['body'];
};

/** The storage understood the request and refused it: wrong key, wrong bucket, no permission. */
export class S3Refusal extends Error {
  override name = 'S3Refusal';
  readonly status: number;
  /** The code of the S3 protocol, such as `NoSuchBucket`. */
  readonly code: string;

  constructor(status: number, code: string) {
    super(`the S3 storage answered ${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

/** The answer is not from an S3 server but from a proxy that cannot reach the storage, or from another server. */
class ForeignAnswer extends Error {
  override name = 'ForeignAnswer';

  constructor({ status, header }: S3Answer) {
    const type = header('content-type') ?? 'without a type';
    super(
      `what answers there is no S3 storage (${status} ${type}): set S3_ENDPOINT, or mend what stands in front of it`,
    );
  }
}

export type S3Client = AsyncDisposable & {
  /**
   * Sends a request and returns a successful answer; the caller must read its body. Returns `undefined` where there is
   * no such object or upload. Also returns `undefined` for every 404 to HEAD, because such an answer cannot tell what
   * is missing. Retries where that may help. @throws MediaUnavailable
   */
  send: (request: S3Request) => Promise<S3Answer | undefined>;
  /** Like `send`, but returns the body as text. */
  text: (request: S3Request) => Promise<string | undefined>;
  /** Returns a link that lets anybody GET the key for this number of seconds. */
  presign: (key: string, query: Record<string, string>, seconds: number) => Promise<string>;
};

/** Opens a client for signed requests (AWS Signature Version 4) to one bucket, over connections that are kept open. */
export function openS3Client(config: S3Config, delaysMs = retryDelaysMs): S3Client {
  const base = bucketUrl(config);
  const open = (connections: number) =>
    new Pool(base.origin, {
      connections,
      connect: { timeout: connectMs },
      headersTimeout: answerMs,
      bodyTimeout: silentMs,
    });
  const [pool, readers] = [open(maxConnections), open(maxReaders)];
  const { accessKeyId, secretAccessKey, region } = config;
  const credentials = {
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
    cache: new Map<string, ArrayBuffer>(),
  };
  const addressOf = ({ key = '', query = {} }: Pick<S3Request, 'key' | 'query'>) => {
    const url = new URL(base);
    url.pathname += key;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  };
  const once = async (request: S3Request): Promise<S3Answer | undefined> => {
    const { method, body = emptyBody, signal, isForReader = false } = request;
    // The server compares this hash with the received bytes and refuses damaged ones.
    const headers = { ...request.headers, 'x-amz-content-sha256': await sha256(body) };
    const signed = await new AwsV4Signer({
      ...credentials,
      method,
      url: addressOf(request).href,
      headers,
    }).sign();
    const answer = await (isForReader ? readers : pool).request({
      method,
      path: signed.url.pathname + signed.url.search,
      headers: Object.fromEntries(signed.headers),
      body: method === 'PUT' || method === 'POST' ? body : null,
      ...(signal && { signal }),
    });
    return settled(request, answer);
  };
  const attempt = <T>(request: S3Request, read: (answer: S3Answer) => Promise<T>) =>
    retried(request, delaysMs, async () => {
      const answer = await once(request);
      return answer && read(answer);
    });
  return {
    send: (request) => attempt(request, async (answer) => answer),
    text: (request) => attempt(request, (answer) => readResult(request, answer)),
    presign: async (key, query, seconds) => {
      const url = addressOf({ key, query: { ...query, 'X-Amz-Expires': String(seconds) } });
      const signed = await new AwsV4Signer({
        ...credentials,
        method: 'GET',
        url: url.href,
        signQuery: true,
      }).sign();
      // A space was signed as %20. Some servers decode a plus sign as a space, others as a plus sign.
      signed.url.search = signed.url.search.replaceAll('+', '%20');
      return signed.url.href;
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all([pool.destroy(), readers.destroy()])),
  };
}

const emptyBody = new Uint8Array();

function bucketUrl({ endpoint, bucket, pathStyle }: S3Config): URL {
  const url = new URL(endpoint);
  if (pathStyle) url.pathname = `/${bucket}/`;
  else url.host = `${bucket}.${url.host}`;
  return url;
}

/** Hashes outside of the event loop, because a part has 8 MiB. */
async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
}

/** The codes of a 404 that names what is missing. */
const missingCodes = new Set<string | undefined>(['NoSuchKey', 'NoSuchUpload']);

/** @throws S3Refusal, ForeignAnswer */
async function settled(
  { method, key }: S3Request,
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
): Promise<S3Answer | undefined> {
  const header = (name: string) => [headers[name]].flat()[0];
  const answer = { status, header, body };
  if (status < 300) {
    const isOfObject = key !== undefined && ['GET', 'HEAD', 'PUT'].includes(method);
    if (!isOfObject || header('etag') !== undefined) return answer;
    await body.dump();
    throw new ForeignAnswer(answer);
  }
  const code = readTag(await readText(body), 'Code');
  if (status === 404 && key !== undefined && method !== 'PUT') {
    if (method === 'HEAD' || missingCodes.has(code)) return undefined;
  }
  if (status === 404 && code === undefined) throw new ForeignAnswer(answer);
  throw new S3Refusal(status, code ?? '');
}

/**
 * Reads the body of an answer. A completed upload is answered with 200 before the server knows whether it worked, so
 * the body may contain an error. @throws S3Refusal, ForeignAnswer
 */
async function readResult({ element }: S3Request, answer: S3Answer): Promise<string> {
  const text = await readText(answer.body);
  if (/<Error>/.test(text.slice(0, 200))) throw new S3Refusal(200, readTag(text, 'Code') ?? '');
  if (element !== undefined && !text.includes(`<${element}`)) throw new ForeignAnswer(answer);
  return text;
}

async function readText(body: S3Answer['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxTextBytes) throw new Error('the answer of the S3 storage is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Refusals that a retry may avoid: the request was damaged or cut on the way, or the server had an internal error. */
const passingCodes = new Set([
  'InternalError',
  'ServiceUnavailable',
  'SlowDown',
  'RequestTimeout',
  'OperationAborted',
  'ConditionalRequestConflict',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
  'IncompleteBody',
]);

function mayPass(error: unknown): boolean {
  return (
    !(error instanceof S3Refusal) ||
    (error.status >= 500 && error.status !== 501) ||
    error.status === 429 ||
    passingCodes.has(error.code)
  );
}

async function retried<T>(
  request: S3Request,
  delaysMs: readonly number[],
  run: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await run();
    } catch (error) {
      request.signal?.throwIfAborted();
      const delayMs = delaysMs[tries];
      if (delayMs === undefined || !mayPass(error)) throw unavailable(error);
      await sleep(delayMs * (0.5 + Math.random() / 2), undefined, {
        ...(request.signal && { signal: request.signal }),
      });
    }
  }
}

function unavailable(error: unknown): MediaUnavailable {
  const { code, message } = error as NodeJS.ErrnoException;
  // If an address has several hosts and none answers, the error has no message.
  const reason = message === '' ? code : message;
  return new MediaUnavailable(`the S3 storage cannot be used now: ${reason}`, { cause: error });
}
