import type {
  ConsoleOperationId,
  ConsoleRequestOf,
  ConsoleResponseOf,
  OperationId,
  RequestOf,
  ResponseOf,
} from '@renderkit/contract/console/operations.ts';
import { Transport } from 'renderkit/transport';
import { ownPath } from '../format/own-path.ts';
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
 * The transport of the client `renderkit`, as the signed-in person: `/v1` lies below the console's prefix too, where the cookie of
 * the session counts instead of a key. What is asked for again, and when, is the affair of the queries.
 */
export const transport = new Transport({
  baseUrl: ownPath('/console/api'),
  apiKey: null,
  // The longest of them is a full check of a backend. Uploads have a limit of their own.
  timeout: 15 * 60_000,
  maxRetries: 0,
  headers: {},
  fetch: (input, init) => fetch(input, init),
  userAgent: null,
  onRequest: undefined,
  onResponse: undefined,
});

/**
 * Calls an operation of the console's own API.
 * @throws RenderkitError when it is refused, when nothing answers, and after the signal
 */
export function callConsole<Id extends ConsoleOperationId>(
  id: Id,
  request: ConsoleRequest<Id>,
  options: CallOptions = {},
): Promise<ConsoleResponseOf<Id>> {
  return send(consolePaths[id], request, options);
}

/**
 * Calls an operation of the public API as the signed-in person.
 * @throws RenderkitError when it is refused, when nothing answers, and after the signal
 */
export function callV1<Id extends OperationId>(
  id: Id,
  request: V1Request<Id>,
  options: CallOptions = {},
): Promise<ResponseOf<Id>> {
  return send(v1Paths[id], request, options);
}

type Values = Record<string, string | number | boolean | undefined>;
type Parts = { params?: Values; query?: Values; body?: object };
type Address = (typeof consolePaths)[ConsoleOperationId] | (typeof v1Paths)[OperationId];

async function send<T>(
  [method, path]: Address,
  request: object,
  { file, ...options }: CallOptions,
): Promise<T> {
  const { params, query, body } = request as Parts;
  const call = { method, path: fillPath(path, params), query, body: file ?? body, options };
  return (await transport.answer<T>(call)).data;
}

/** Fills each `{name}` of a path with its encoded value. */
export function fillPath(path: string, params: Values = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`The path ${path} needs a value for ${name}.`);
    return encodeURIComponent(value);
  });
}
