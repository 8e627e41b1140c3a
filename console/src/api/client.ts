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

/** The parts of a request that an operation has. A part without required values may be left out. */
type PartsOf<R> = Omit<R, EmptyParts<R> | OptionalParts<R>> &
  Partial<Pick<R, Exclude<OptionalParts<R>, EmptyParts<R>>>>;

export type ConsoleRequest<Id extends ConsoleOperationId> = PartsOf<ConsoleRequestOf<Id>>;
export type V1Request<Id extends OperationId> = PartsOf<RequestOf<Id>>;

type CallOptions = {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** The body of an operation that uploads a file. */
  file?: Blob;
};

/** Time limit until a response begins, in milliseconds. A read normally takes far less, and it can be retried. */
const readMs = 20_000;
/** The service waits at most a minute for a body, then answers with what it has. */
const changeMs = 60_000;
/**
 * For operations that contact machines: a little longer than the service waits for them. The service has its limits in
 * `service/src/console-api/administration.ts`.
 */
const asksMachineMs = 160_000;

/** Time limits of operations for which the default of their method is wrong. */
const timeouts: { [Id in ConsoleOperationId | OperationId]?: number } = {
  estimate: readMs,
  previewPlans: readMs,
  previewStyles: readMs,
  addBackend: asksMachineMs,
  checkBackend: asksMachineMs,
  fullyCheckBackend: 16 * 60_000,
  // This limit includes the upload of the file.
  importModel: 16 * 60_000,
  editModel: asksMachineMs,
  bindParameters: asksMachineMs,
  checkModelVersion: asksMachineMs,
  publishModel: asksMachineMs,
};

/** Headers that every request has in addition to its own. */
const ownHeaders: Record<string, string> = {};

/**
 * Makes all later requests of this page name this account. All tabs share the session cookie. If another person signs
 * in in another tab, the service refuses the requests of this page (`other_account`). So this page never acts in that
 * person's name. `refuseOtherAccount` in `service/src/console-api/routes.ts` refuses these requests.
 */
export function actAs(accountId: string): void {
  ownHeaders[accountHeader] = accountId;
}

/**
 * The transport of the client `renderkit`, as the signed-in person. `/v1` is also available below the console's prefix,
 * where the session cookie replaces the key. The queries decide about retries. `query-client.ts` has the rule.
 */
export const transport = new Transport({
  baseUrl: ownPath('/console/api'),
  apiKey: null,
  // For streams, and for requests next to them. Uploads have their own limit.
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
 *
 * @throws RenderkitError when the request is refused, when no response arrives, or when the signal aborts
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
 *
 * @throws RenderkitError when the request is refused, when no response arrives, or when the signal aborts
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
