import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { RenderkitError } from 'renderkit/errors';
import { type Fetch, Transport } from 'renderkit/transport';
import { transport } from './client.ts';
import { fieldError, isWithoutAnswer } from './errors.ts';
import { v1Paths } from './paths.ts';

/** How long nothing may move: neither a byte of the file nor, once it is sent, the answer. */
const silenceMs = 15 * 60_000;
/** The longest that a timer holds. The transport's counts from the first byte, which would bound the size of a file. */
const noLimitMs = 2 ** 31 - 1;

type UploadOptions = {
  /** Receives the part that has been sent, from 0 to 1. */
  onProgress: (part: number) => void;
  signal: AbortSignal;
};

/**
 * Uploads a file as a form.
 * @throws RenderkitError; `aborted` after the signal; an Error that says what to do where no answer came
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

/** A fetch by XMLHttpRequest, because the browser's own reports no progress of what it sends. */
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

/** The sentence about the file, where there is one, says more than the sentence about the request. */
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
