import type {
  ConsoleOperationId,
  ConsoleRequestOf,
  ConsoleResponseOf,
  OperationId,
  RequestOf,
  ResponseOf,
} from '@renderkit/contract/console/operations.ts';
import { ownPath } from '../format/own-path.ts';
import { NoAnswerError, problemErrorOf } from './errors.ts';
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
  /** The body of an operation that takes a file. */
  file?: Blob;
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

type Parts = { params?: Values; query?: Values; body?: unknown };

async function send(method: string, path: string, request: object, options: CallOptions): Promise<unknown> {
  const { params, query, body } = request as Parts;
  const answer = await fetch(buildAddress(path, params, query), {
    method,
    signal: options.signal ?? null,
    headers: { ...contentTypeOf(options.file, body), ...options.headers },
    body: options.file ?? (body === undefined ? null : JSON.stringify(body)),
  }).catch((error: unknown) => {
    if (options.signal?.aborted === true) throw error;
    throw new NoAnswerError(error);
  });
  const value: unknown = await answer.json().catch(() => undefined);
  if (answer.ok && value !== undefined) return value;
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
  throw problemErrorOf(answer.status, value, Number.isFinite(retryAfter) ? retryAfter : undefined);
}

function contentTypeOf(file: Blob | undefined, body: unknown): Record<string, string> {
  // Whatever the browser takes it for: the studio reads the bytes.
  if (file !== undefined) return { 'content-type': 'application/octet-stream' };
  return body === undefined ? {} : { 'content-type': 'application/json' };
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
  const address = ownPath(filled);
  return search.size === 0 ? address : `${address}?${search}`;
}
