import { consoleAddresses, type SignInChoices } from '@renderkit/contract/console/addresses.ts';
import type {
  ConsoleOperationId,
  ConsoleRequestOf,
  ConsoleResponseOf,
  OperationId,
  RequestOf,
  ResponseOf,
} from '@renderkit/contract/console/operations.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import type { Upload } from '@renderkit/contract/v1/schemas/upload.ts';
import { parseJson } from '../format/json.ts';
import { fieldError, NoAnswerError, ProblemError } from './errors.ts';
import { consolePaths, v1Paths } from './paths.ts';

type EmptyParts<R> = { [P in keyof R]: R[P] extends Record<string, never> ? P : never }[keyof R];
type OptionalParts<R> = { [P in keyof R]: object extends R[P] ? P : never }[keyof R];

/** The parts of a request that an operation has. A part in which nothing is required may be left out. */
type PartsOf<R> = Omit<R, EmptyParts<R> | OptionalParts<R>> &
  Partial<Pick<R, Exclude<OptionalParts<R>, EmptyParts<R>>>>;

export type ConsoleRequest<Id extends ConsoleOperationId> = PartsOf<ConsoleRequestOf<Id>>;
export type V1Request<Id extends OperationId> = PartsOf<RequestOf<Id>>;

type CallOptions = {
  signal?: AbortSignal;
  headers?: Record<string, string>;
};

/**
 * Calls an operation of the console's own API.
 * @throws ProblemError when it is refused, NoAnswerError when nothing answers
 */
export function callConsole<Id extends ConsoleOperationId>(
  id: Id,
  request: ConsoleRequest<Id>,
  options: CallOptions = {},
): Promise<ConsoleResponseOf<Id>> {
  const [method, path] = consolePaths[id];
  return send(method, path, request, options) as Promise<ConsoleResponseOf<Id>>;
}

/**
 * Calls an operation of the public API as the signed-in person.
 * @throws ProblemError when it is refused, NoAnswerError when nothing answers
 */
export function callV1<Id extends OperationId>(
  id: Id,
  request: V1Request<Id>,
  options: CallOptions = {},
): Promise<ResponseOf<Id>> {
  const [method, path] = v1Paths[id];
  return send(method, `/console/api${path}`, request, options) as Promise<ResponseOf<Id>>;
}

/**
 * What somebody who is not signed in can do. It is no operation of the tables: it needs no session.
 * @throws NoAnswerError, ProblemError
 */
export function getSignInChoices(signal: AbortSignal): Promise<SignInChoices> {
  return send('GET', consoleAddresses.signInChoices, {}, { signal }) as Promise<SignInChoices>;
}

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
    request.open(method, `/console/api${path}`);
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

type Parts = { params?: Values; query?: Values; body?: unknown };

async function send(method: string, path: string, request: object, options: CallOptions): Promise<unknown> {
  const { params, query, body } = request as Parts;
  const answer = await fetch(buildAddress(path, params, query), {
    method,
    signal: options.signal ?? null,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...options.headers },
    body: body === undefined ? null : JSON.stringify(body),
  }).catch((error: unknown) => {
    if (options.signal?.aborted === true) throw error;
    throw new NoAnswerError(error);
  });
  const value: unknown = await answer.json().catch(() => undefined);
  if (answer.ok && value !== undefined) return value;
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
  throw problemErrorOf(answer.status, value, Number.isFinite(retryAfter) ? retryAfter : undefined);
}

/** `answer` is the parsed body; undefined where it was no JSON. */
function problemErrorOf(status: number, answer: unknown, retryAfter?: number): ProblemError {
  const problem = (answer ?? {}) as Partial<Problem>;
  const detail = problem.detail ?? `What answered was not the service (status ${status}).`;
  return new ProblemError({ ...problem, status, detail }, retryAfter);
}

/** Values for a path or its query. Undefined ones are left out. */
type Values = Record<string, string | number | boolean | undefined>;

/** Fills each `{name}` of a path with its encoded value, and appends the query. */
export function buildAddress(path: string, params: Values = {}, query: Values = {}): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`The path ${path} needs a value for ${name}.`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}
