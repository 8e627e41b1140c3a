import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import type { Upload, UploadType } from '@renderkit/contract/v1/schemas/upload.ts';
import { maxAudioBytes, maxImageBytes, maxVideoBytes } from '@renderkit/contract/v1/limits.ts';
import { v1Paths } from '../api/paths.ts';
import { NoAnswerError, ProblemError } from '../api/errors.ts';
import { bytesText } from '../format/numbers.ts';

/** What may be sent of each type: for the file chooser, for people, and how large. The service judges by the bytes. */
export const uploadKinds = {
  image: { accept: 'image/png,image/jpeg', words: 'PNG or JPEG', maxBytes: maxImageBytes, noun: 'picture' },
  video: { accept: 'video/mp4,video/quicktime', words: 'MP4 or MOV', maxBytes: maxVideoBytes, noun: 'video' },
  audio: {
    accept: 'audio/mpeg,audio/wav,audio/x-wav,audio/mp4,audio/x-m4a',
    words: 'MP3, WAV or M4A',
    maxBytes: maxAudioBytes,
    noun: 'sound',
  },
} as const satisfies Record<UploadType, { accept: string; words: string; maxBytes: number; noun: string }>;

/** Why a file need not be sent at all; undefined where it may do. A file of no known type is left to the service. */
export function complaintOf(
  file: Pick<File, 'name' | 'type' | 'size'>,
  type: UploadType,
): string | undefined {
  const { accept, words, maxBytes, noun } = uploadKinds[type];
  if (file.type !== '' && !accept.split(',').includes(file.type))
    return `${file.name} is no ${noun} of a type that can be used: ${words}.`;
  if (file.size > maxBytes)
    return `${file.name} has ${bytesText(file.size)}; a ${noun} may have ${bytesText(maxBytes)}.`;
  return file.size === 0 ? `${file.name} is empty.` : undefined;
}

type Sending = { onProgress: (sent: number) => void; signal: AbortSignal };

/**
 * Sends a file as a form; `onProgress` is told the part that is on its way, 0 to 1. By XMLHttpRequest, since fetch
 * tells nothing of what it has sent.
 * @throws ProblemError, NoAnswerError
 */
export function sendUpload(file: File, { onProgress, signal }: Sending): Promise<Upload> {
  const [method, path] = v1Paths.createUpload;
  const form = new FormData();
  form.set('file', file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, `/console/api${path}`);
    request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total);
    });
    request.addEventListener('load', () => {
      const answer = parsed(request.responseText);
      if (request.status === 201 && answer !== undefined) resolve(answer as unknown as Upload);
      else reject(refusalOf(request, answer));
    });
    request.addEventListener('error', () => reject(new NoAnswerError('the upload broke off')));
    request.addEventListener('abort', () =>
      reject(new DOMException('The upload was canceled.', 'AbortError')),
    );
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

function refusalOf({ status }: XMLHttpRequest, answer: Partial<Problem> | undefined): ProblemError {
  const first = answer?.errors?.find(({ field }) => field === 'file');
  const detail = answer?.detail ?? `What answered was not the service (status ${status}).`;
  return new ProblemError({
    ...answer,
    status,
    detail: first === undefined ? detail : `The file ${first.message}.`,
  });
}

function parsed(text: string): Partial<Problem> | undefined {
  try {
    return JSON.parse(text) as Partial<Problem>;
  } catch {
    return undefined;
  }
}
