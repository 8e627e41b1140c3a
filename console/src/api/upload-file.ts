import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { parseJson } from '../format/json.ts';
import { fieldError, NoAnswerError, problemErrorOf, type ProblemError } from './errors.ts';
import { ownPath } from '../format/own-path.ts';
import { v1Paths } from './paths.ts';

type UploadOptions = {
  /** Receives the part that has been sent, from 0 to 1. */
  onProgress: (part: number) => void;
  signal: AbortSignal;
};

/**
 * Uploads a file as a form. It uses XMLHttpRequest, because fetch reports no progress of what it sends.
 * @throws ProblemError, NoAnswerError; a DOMException named `AbortError` after the signal
 */
export function uploadFile(file: File, { onProgress, signal }: UploadOptions): Promise<Upload> {
  const [method, path] = v1Paths.createUpload;
  const form = new FormData();
  form.set('file', file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, ownPath(`/console/api${path}`));
    request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total);
    });
    request.addEventListener('load', () => {
      const answer = parseJson(request.responseText);
      if (request.status === 201 && answer !== undefined) resolve(answer as Upload);
      else reject(uploadError(request.status, answer));
    });
    request.addEventListener('error', () => reject(new NoAnswerError('the upload broke off')));
    request.addEventListener('abort', () =>
      reject(new DOMException('The upload was canceled.', 'AbortError')),
    );
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

/** The sentence about the file, where there is one, says more than the sentence about the request. */
function uploadError(status: number, answer: unknown): ProblemError {
  const error = problemErrorOf(status, answer);
  const aboutFile = fieldError(error, 'file');
  return aboutFile === undefined
    ? error
    : problemErrorOf(status, { ...(answer as Partial<Problem>), detail: `The file ${aboutFile}.` });
}
