import type {
  ConsoleOperationId,
  ConsoleRequestOf,
  ConsoleResponseOf,
  OperationId,
  RequestOf,
  ResponseOf,
} from '@renderkit/contract/console/operations.ts';
import { accountHeader } from '@renderkit/contract/console/headers.ts';
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

/** Milliseconds until an answer begins. What is only read has answered long before; it is asked for again. */
const readMs = 20_000;
/** The service takes a minute at most for a body, and then it answers what it knows. */
const changeMs = 60_000;
/** For what asks machines: a little longer than the service waits for them. */
const asksMachineMs = 160_000;

/** Operations that are no plain reads or changes by their method. */
const timeouts: { [Id in ConsoleOperationId | OperationId]?: number } = {
  estimate: readMs,
  previewPlans: readMs,
  previewStyles: readMs,
  addBackend: asksMachineMs,
  checkBackend: asksMachineMs,
  fullyCheckBackend: 16 * 60_000,
  // Its file is sent in this time, too.
  importModel: 16 * 60_000,
  editModel: asksMachineMs,
  bindParameters: asksMachineMs,
  checkModelVersion: asksMachineMs,
  publishModel: asksMachineMs,
};

/** What every request carries beside its own headers. */
const ownHeaders: Record<string, string> = {};

/**
 * From now on this page asks as this account alone. The cookie of the session is that of all tabs: where somebody else signs in in
 * another one, the service refuses what is asked here (`other_account`), and nothing is done in their name.
 */
export function actAs(accountId: string): void {
  ownHeaders[accountHeader] = accountId;
}

/**
 * The transport of the client `renderkit`, as the signed-in person: `/v1` lies below the console's prefix too, where the cookie of
 * the session counts instead of a key. What is asked for again, and when, is the affair of the queries.
 */
export const transport = new Transport({
  baseUrl: ownPath('/console/api'),
  apiKey: null,
  // Of streams and of what is asked for beside them. Uploads have a limit of their own.
  timeout: readMs,
  maxRetries: 0,
  headers: ownHeaders,
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
  return send(id, consolePaths[id], request, options);
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
  return send(id, v1Paths[id], request, options);
}

type Values = Record<string, string | number | boolean | undefined>;
type Parts = { params?: Values; query?: Values; body?: object };
type Address = (typeof consolePaths)[ConsoleOperationId] | (typeof v1Paths)[OperationId];

async function send<T>(
  id: ConsoleOperationId | OperationId,
  [method, path]: Address,
  request: object,
  { file, ...options }: CallOptions,
): Promise<T> {
  const { params, query, body } = request as Parts;
  const timeout = timeouts[id] ?? (method === 'GET' ? readMs : changeMs);
  const call = {
    method,
    path: fillPath(path, params),
    query,
    body: file ?? body,
    options: { timeout, ...options },
  };
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
