import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { RenderkitError } from 'renderkit/errors';
import { type Fetch, Transport } from 'renderkit/transport';
import { transport } from './client.ts';
import { fieldError, isWithoutAnswer } from './errors.ts';
import { v1Paths } from './paths.ts';

/** The longest time without progress, of the file's bytes or, after they are sent, of the response. */
const silenceMs = 15 * 60_000;
/**
 * The longest delay of a timer. The transport's own timeout starts with the first byte, which would limit the size of a
 * file.
 */
const noLimitMs = 2 ** 31 - 1;

type UploadOptions = {
  /** Called with the fraction that has been sent, from 0 to 1. */
  onProgress: (part: number) => void;
  signal: AbortSignal;
};

/**
 * Uploads a file as a form. `fileIssue` in `console/src/media/upload-types.ts` decides which files are not sent at all.
 *
 * @throws RenderkitError; `aborted` when the signal aborts; an Error with advice when no response arrived
 */
export async function uploadFile(file: File, { onProgress, signal }: UploadOptions): Promise<Upload> {
  const [method, path] = v1Paths.createUpload;
  const body = new FormData();
  body.set('file', file);
  const reporting = new Transport({
    ...transport.options,
    timeout: noLimitMs,
    fetch: reportingFetch(onProgress),
  });
  try {
    return (await reporting.answer<Upload>({ method, path, body, options: { signal } })).data;
  } catch (error) {
    throw aboutFile(error);
  }
}

/** Returns a fetch function on XMLHttpRequest, because the browser's `fetch` does not report upload progress. */
function reportingFetch(onProgress: (part: number) => void): Fetch {
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method ?? 'GET', url);
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      const giveUp = () => {
        reject(new TypeError('the upload stood still'));
        request.abort();
      };
      let timer = setTimeout(giveUp, silenceMs);
      const onMove = () => {
        clearTimeout(timer);
        timer = setTimeout(giveUp, silenceMs);
      };
      for (const moved of ['progress', 'load']) request.upload.addEventListener(moved, onMove);
      request.addEventListener('loadend', () => clearTimeout(timer));
      request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => {
        if (lengthComputable && total > 0) onProgress(loaded / total);
      });
      request.addEventListener('load', () => resolve(responseOf(request)));
      request.addEventListener('error', () => reject(new TypeError('the upload broke off')));
      request.addEventListener('abort', () =>
        reject(new DOMException('The upload was canceled.', 'AbortError')),
      );
      signal?.addEventListener('abort', () => request.abort(), { once: true });
      request.send(body as XMLHttpRequestBodyInit);
    });
}

function responseOf(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split(/\r\n/);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return new Response(request.responseText, { status: request.status, headers });
}

/**
 * Returns a better error if there is one: a message about the file is more helpful than a message about the request.
 */
function aboutFile(error: unknown): unknown {
  if (isWithoutAnswer(error))
    return new Error('The upload broke off. Check the connection, then choose the file again.', {
      cause: error,
    });
  const issue = fieldError(error, 'file');
  if (!RenderkitError.is(error) || issue === undefined) return error;
  const { code, status, requestId } = error;
  return new RenderkitError(code, `The file ${issue}.`, { status, requestId });
}
