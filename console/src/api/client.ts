import type {
  ConsoleOperationId,
  ConsoleRequestOf,
  ConsoleResponseOf,
  OperationId,
  RequestOf,
  ResponseOf,
} from '@renderkit/contract/console/operations.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import { buildAddress, type Values } from './build-address.ts';
import { consolePaths, v1Paths } from './paths.ts';
import { NoAnswerError, ProblemError } from './errors.ts';

type EmptyParts<R> = { [P in keyof R]: R[P] extends Record<string, never> ? P : never }[keyof R];
type OptionalParts<R> = { [P in keyof R]: object extends R[P] ? P : never }[keyof R];

/** The parts of a request that an operation has; those with nothing required in them may be left out. */
type PartsOf<R> = Omit<R, EmptyParts<R> | OptionalParts<R>> &
  Partial<Pick<R, Exclude<OptionalParts<R>, EmptyParts<R>>>>;

export type ConsoleRequest<Id extends ConsoleOperationId> = PartsOf<ConsoleRequestOf<Id>>;
export type V1Request<Id extends OperationId> = PartsOf<RequestOf<Id>>;

type CallOptions = {
  signal?: AbortSignal;
  headers?: Record<string, string>;
};

/**
 * Asks for an operation of the console's own interface.
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
 * Asks for an operation of the HTTP API as the signed-in person. `form` goes in place of the body where the
 * operation takes one.
 * @throws ProblemError when it is refused, NoAnswerError when nothing answers
 */
export function callV1<Id extends OperationId>(
  id: Id,
  request: V1Request<Id> | { form: FormData },
  options: CallOptions = {},
): Promise<ResponseOf<Id>> {
  const [method, path] = v1Paths[id];
  return send(method, `/console/api${path}`, request, options) as Promise<ResponseOf<Id>>;
}

type Parts = { params?: Values; query?: Values; body?: unknown; form?: FormData };

async function send(method: string, path: string, request: object, options: CallOptions): Promise<unknown> {
  const { params, query, body, form } = request as Parts;
  const answer = await fetch(buildAddress(path, params, query), {
    method,
    signal: options.signal ?? null,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...options.headers },
    body: form ?? (body === undefined ? null : JSON.stringify(body)),
  }).catch((error: unknown) => {
    if (options.signal?.aborted === true) throw error;
    throw new NoAnswerError(error);
  });
  return readAnswer(answer);
}

async function readAnswer(answer: Response): Promise<unknown> {
  const value: unknown = await answer.json().catch(() => undefined);
  if (answer.ok && value !== undefined) return value;
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
  const problem = (value ?? {}) as Partial<Problem>;
  throw new ProblemError(
    {
      ...problem,
      status: answer.status,
      detail: problem.detail ?? `What answered was not the service (status ${answer.status}).`,
    },
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}
