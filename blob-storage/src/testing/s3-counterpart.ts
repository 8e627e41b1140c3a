import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { AwsV4Signer } from 'aws4fetch';
import type { S3Config } from '../s3/s3-config.ts';

type StoredObject = { bytes: Buffer; headers: Record<string, string>; storedAt: Date };
type Upload = { key: string; headers: Record<string, string>; begun: Date; parts: Map<number, Buffer> };

/**
 * A failure of one answer: it is missing, cut in half, has other bytes, comes from another server, or is lost after the
 * work was done.
 */
export type S3Fault =
  | 'unavailable'
  | 'slow_down'
  | 'cut'
  | 'wrong_bytes'
  | 'lost_answer'
  | 'refused_digest'
  | 'no_bucket'
  | 'foreign_404'
  | 'foreign_page';

/** A server that supports as much of S3 as the client uses, in memory, and fails when a test demands it. */
export type S3Counterpart = AsyncDisposable & {
  config: S3Config;
  objects: Map<string, StoredObject>;
  /** Uploads in parts that were neither completed nor aborted. */
  uploads: Map<string, Upload>;
  /** The next requests for which `matches` returns true get these faults, one each. */
  fail: (faults: readonly S3Fault[], matches?: (request: Asked) => boolean) => void;
  /** Called with each request whose signature is valid; the request is handled once the returned promise settles. */
  onRequest: ((request: Asked) => void | Promise<void>) | undefined;
  /** How the server treats `If-None-Match` with a PUT: supports it, ignores it, or refuses the request. */
  conditions: 'known' | 'overlooked' | 'refused';
};

type Asked = { method: string; key: string; query: URLSearchParams; headers: IncomingMessage['headers'] };

const bucket = 'media-of-tests';
const credentials = { accessKeyId: 'TESTKEY', secretAccessKey: 'a secret of the tests', region: 'us-east-1' };

/** Starts the server on a port of this machine's loopback. */
export async function startS3Counterpart(): Promise<S3Counterpart> {
  const objects: S3Counterpart['objects'] = new Map();
  const uploads: S3Counterpart['uploads'] = new Map();
  let faults: S3Fault[] = [];
  let matches: (request: Asked) => boolean = () => true;
  const server = createServer((request, response) => {
    void (async () => {
      const { asked: call, body, refusal } = await readRequest(request);
      if (refusal !== undefined) return refuse(response, ...refusal);
      await counterpart.onRequest?.(call);
      const fault = matches(call) ? faults.shift() : undefined;
      const { conditions } = counterpart;
      answer(call, body, { response, fault, objects, uploads, conditions });
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const counterpart: S3Counterpart = {
    config: { endpoint: `http://127.0.0.1:${port}`, bucket, ...credentials, pathStyle: true },
    objects,
    uploads,
    onRequest: undefined,
    conditions: 'known',
    fail: (next, which = () => true) => {
      faults = [...next];
      matches = which;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return counterpart;
}

type Refusal = [status: number, code: string];

async function readRequest(
  request: IncomingMessage,
): Promise<{ asked: Asked; body: Buffer; refusal: Refusal | undefined }> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  const [, inBucket = '', ...rest] = decodeURIComponent(url.pathname).split('/');
  const body = await buffer(request);
  const { method = 'GET', headers } = request;
  const call = { method, key: rest.join('/'), query: url.searchParams, headers };
  const refusal: Refusal | undefined =
    (await signatureRefusal(call, url, body)) ?? (inBucket === bucket ? undefined : [404, 'NoSuchBucket']);
  return { asked: call, body, refusal };
}

/** Signs the received request again, with the headers that the client signed. */
async function signatureRefusal(
  { method, headers }: Asked,
  url: URL,
  body: Buffer,
): Promise<Refusal | undefined> {
  if (url.searchParams.has('X-Amz-Signature')) return presignedRefusal(method, url);
  const { authorization = '' } = headers;
  const [, id, signed = ''] = /Credential=([^/]+)\/.*SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  if (id !== credentials.accessKeyId) return [403, 'InvalidAccessKeyId'];
  const names = signed.split(';').filter((name) => name !== 'host');
  const again = await new AwsV4Signer({
    ...credentials,
    service: 's3',
    method,
    url: url.href,
    headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
    datetime: String(headers['x-amz-date']),
  }).authHeader();
  if (again !== authorization) return [403, 'SignatureDoesNotMatch'];
  const sha256 = createHash('sha256').update(body).digest('hex');
  return headers['x-amz-content-sha256'] === sha256 ? undefined : [400, 'XAmzContentSHA256Mismatch'];
}

async function presignedRefusal(method: string, url: URL): Promise<Refusal | undefined> {
  const unsigned = new URL(url);
  const given = unsigned.searchParams.get('X-Amz-Signature');
  unsigned.searchParams.delete('X-Amz-Signature');
  const datetime = unsigned.searchParams.get('X-Amz-Date') ?? '';
  const signer = new AwsV4Signer({
    ...credentials,
    service: 's3',
    method,
    url: unsigned.href,
    signQuery: true,
    datetime,
  });
  return (await signer.signature()) === given ? undefined : [403, 'SignatureDoesNotMatch'];
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<Error><Code>${code}</Code></Error>`);
}

type Scene = {
  response: ServerResponse;
  fault: S3Fault | undefined;
  objects: S3Counterpart['objects'];
  uploads: S3Counterpart['uploads'];
  conditions: S3Counterpart['conditions'];
};

function answer(call: Asked, body: Buffer, scene: Scene): void {
  const { response, fault } = scene;
  if (fault === 'unavailable') return refuse(response, 503, 'ServiceUnavailable');
  if (fault === 'slow_down') return refuse(response, 503, 'SlowDown');
  if (fault === 'no_bucket') return refuse(response, 404, 'NoSuchBucket');
  if (fault === 'foreign_404')
    return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
  if (fault === 'foreign_page')
    return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>It works!</html>');
  if (fault === 'refused_digest') return refuse(response, 400, 'XAmzContentSHA256Mismatch');
  if (fault === 'cut' && call.method !== 'GET') return void response.destroy();
  const result = work(call, body, scene);
  if (fault === 'lost_answer') return void response.destroy();
  const { status, headers = {}, content = Buffer.alloc(0) } = result;
  const sent = fault === 'wrong_bytes' ? Buffer.from(content.map((byte) => byte ^ 1)) : content;
  response.writeHead(status, { 'content-length': sent.length, ...headers });
  if (call.method === 'HEAD') return void response.end();
  if (fault !== 'cut') return void response.end(sent);
  // Half of the answer must be sent before the connection breaks.
  response.write(sent.subarray(0, sent.length / 2), () => response.destroy());
}

type Result = { status: number; headers?: Record<string, string | number>; content?: Buffer };

function work(call: Asked, body: Buffer, scene: Scene): Result {
  const { method, key, query } = call;
  if (query.has('uploads') || query.has('uploadId')) return workOnUpload(call, body, scene);
  if (method === 'GET' && key === '') return listObjects(query, scene.objects);
  if (method === 'PUT') {
    const isConditional = call.headers['if-none-match'] === '*';
    if (isConditional && scene.conditions === 'refused') return failure(501, 'NotImplemented');
    if (isConditional && scene.conditions === 'known' && scene.objects.has(key))
      return failure(412, 'PreconditionFailed');
    scene.objects.set(key, { bytes: body, headers: metadataOf(call), storedAt: new Date() });
    return { status: 200, headers: { etag: etagOf(body) } };
  }
  if (method === 'DELETE') return (scene.objects.delete(key), { status: 204 });
  const found = scene.objects.get(key);
  if (found === undefined) return failure(404, 'NoSuchKey');
  if (method === 'HEAD')
    return { status: 200, headers: { ...headersOf(found), 'content-length': found.bytes.length } };
  return readObject(found, call.headers.range);
}

function headersOf({ bytes, headers }: StoredObject): Record<string, string> {
  return { ...headers, etag: etagOf(bytes) };
}

function readObject(found: StoredObject, range: string | undefined): Result {
  const { bytes } = found;
  const headers = headersOf(found);
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (start === undefined) return { status: 200, headers, content: bytes };
  return { status: 206, headers, content: bytes.subarray(Number(start), Number(end) + 1) };
}

function workOnUpload(
  { method, key, query, headers }: Asked,
  body: Buffer,
  { objects, uploads }: Scene,
): Result {
  const id = query.get('uploadId') ?? '';
  if (method === 'GET') return listUploads(uploads);
  if (method === 'POST' && query.has('uploads')) {
    const begun = randomBytes(8).toString('hex');
    const metadata = metadataOf({ headers });
    uploads.set(begun, { key, headers: metadata, begun: new Date(), parts: new Map() });
    return xml(
      `<InitiateMultipartUploadResult><UploadId>${begun}</UploadId></InitiateMultipartUploadResult>`,
    );
  }
  const upload = uploads.get(id);
  if (upload === undefined) return failure(404, 'NoSuchUpload');
  if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body);
    return { status: 200, headers: { etag: etagOf(body) } };
  }
  uploads.delete(id);
  if (method === 'DELETE') return { status: 204 };
  const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)</g)];
  const parts = named.map(([, number, etag]) => ({ bytes: upload.parts.get(Number(number)), etag }));
  if (parts.some(({ bytes, etag }) => bytes === undefined || etagOf(bytes) !== etag))
    return failure(400, 'InvalidPart');
  const bytes = Buffer.concat(parts.map((part) => part.bytes ?? Buffer.alloc(0)));
  objects.set(key, { bytes, headers: upload.headers, storedAt: new Date() });
  return xml('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
}

const maxKeysPerPage = 3;

/** Few keys per page, so that tests with few blobs need several pages. */
function listObjects(query: URLSearchParams, objects: S3Counterpart['objects']): Result {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].sort().filter((key) => key.startsWith(prefix) && key > after);
  const page = keys.slice(0, maxKeysPerPage);
  const items = page.map((key) => {
    const { bytes, storedAt } = objects.get(key) as StoredObject;
    return `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${bytes.length}</Size><LastModified>${storedAt.toISOString()}</LastModified></Contents>`;
  });
  const next =
    keys.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return xml(`<ListBucketResult>${items.join('')}${next}</ListBucketResult>`);
}

function listUploads(uploads: S3Counterpart['uploads']): Result {
  const items = [...uploads].map(
    ([id, { key, begun }]) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begun.toISOString()}</Initiated></Upload>`,
  );
  return xml(`<ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>`);
}

function metadataOf({ headers }: Pick<Asked, 'headers'>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-'));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function failure(status: number, code: string): Result {
  return { ...xml(`<Error><Code>${code}</Code></Error>`), status };
}

function xml(text: string): Result {
  return { status: 200, headers: { 'content-type': 'application/xml' }, content: Buffer.from(text) };
}
