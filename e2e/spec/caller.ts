import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { resolve, violations } from './json-schema.ts';
import { assertShape } from './shape.ts';
import { problem } from './shapes.ts';

export type Fields = Record<string, unknown>;
export type Reply<Body = Fields> = {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  body: Body;
};
export type Sent = {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: string | Uint8Array;
  headers?: Record<string, string | string[]>;
};
export type Problem = {
  code: string;
  detail: string;
  request_id: string;
  errors?: { field: string; message: string }[];
};
export type Call = <Body = Fields>(method: string, path: string, sent?: Sent) => Promise<Reply<Body>>;

const answerWithinMs = 70_000;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends one request exactly as given. Adds no header except Host and the length of the body. */
export async function send(baseUrl: string, method: string, path: string, sent: Sent = {}): Promise<Reply> {
  const { hostname, port } = new URL(baseUrl);
  const raw = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
  const headers = {
    ...(sent.body !== undefined && { 'content-type': 'application/json' }),
    ...(raw !== undefined && { 'content-length': String(Buffer.byteLength(raw)) }),
    ...sent.headers,
  };
  const { promise, resolve: answer, reject } = Promise.withResolvers<Omit<Reply, 'text' | 'body'>>();
  const signal = AbortSignal.timeout(answerWithinMs);
  const outgoing = request({ agent, hostname, port, method, path, headers, signal }, (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('error', reject);
    incoming.once('end', () =>
      answer({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes: Buffer.concat(chunks) }),
    );
  });
  outgoing.once('error', reject);
  outgoing.end(raw);
  const reply = await promise;
  const text = reply.bytes.toString('utf8');
  const json = /json/.test(reply.headers['content-type'] ?? '') && text !== '';
  return { ...reply, text, body: json ? (JSON.parse(text) as Fields) : {} };
}

/**
 * Makes calls with one key (or none) that check every answer: against the served OpenAPI document, and for the shape of
 * problems, request ids and rate headers.
 */
export function createCaller(baseUrl: string, document: Fields, key?: string): Call {
  return async <Body>(method: string, path: string, sent: Sent = {}) => {
    const headers = { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...sent.headers };
    const reply = await send(baseUrl, method, path, { ...sent, headers });
    checkAnswer(document, method, path, reply);
    return reply as Reply<Body>;
  };
}

/** Checks what every answer of /v1 must have. */
export function checkAnswer(
  document: Fields,
  method: string,
  path: string,
  reply: Omit<Reply, 'bytes'>,
): void {
  const told = `${method} ${path} → ${reply.status} ${reply.text.slice(0, 500)}`;
  assert.match(String(reply.headers['x-request-id']), /^req_[0-9a-z]{26}$/, told);
  const rated =
    reply.headers['x-ratelimit-limit'] !== undefined && reply.headers['x-ratelimit-remaining'] !== undefined;
  if (reply.status === 401) assert.equal(rated, false, `no rate without a key: ${told}`);
  else if (reply.status !== 400) assert.ok(rated, `rate headers: ${told}`);
  if (reply.status >= 400) checkProblem(reply, told);
  else assert.match(String(reply.headers['content-type']), /^application\/json\b/, told);
  const operation = operationOf(document, method, path);
  if (operation === undefined) return assert.ok(reply.status >= 400, told);
  const promised = operation.responses[reply.status] as { $ref?: string } | undefined;
  // Any request line may be malformed, and any path may be unknown.
  if (promised === undefined && (reply.status === 400 || reply.status === 404)) return;
  assert.ok(promised !== undefined, `not promised: ${told}`);
  const response = (promised.$ref === undefined ? promised : resolve(document, promised.$ref)) as {
    headers?: Fields;
    content: Record<string, { schema: Fields }>;
  };
  const media = String(reply.headers['content-type']).split(';')[0] ?? '';
  const content = response.content[media];
  assert.ok(content !== undefined, `another media type: ${told}`);
  assert.deepEqual(violations(document, content.schema, reply.body), [], told);
}

const statuses: Record<string, number> = {
  invalid_request: 400,
  unauthorized: 401,
  insufficient_credits: 402,
  forbidden: 403,
  budget_exceeded: 403,
  tier_required: 403,
  connection_expired: 403,
  not_found: 404,
  conflict: 409,
  unprocessable: 422,
  moderation_blocked: 422,
  account_suspended: 423,
  email_not_verified: 423,
  rate_limited: 429,
  queue_full: 429,
  geo_blocked: 451,
  internal_error: 500,
  upstream_error: 502,
  upstream_unavailable: 503,
};
const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  423: 'Locked',
  429: 'Too Many Requests',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};
export const codes = Object.keys(statuses);

function checkProblem(reply: Omit<Reply, 'bytes'>, told: string): void {
  assert.match(String(reply.headers['content-type']), /^application\/problem\+json\b/, told);
  assertShape(problem, reply.body);
  const { type, title, status, code, detail, request_id, errors } = reply.body as Problem &
    Record<string, string>;
  assert.equal(request_id, reply.headers['x-request-id'], told);
  assert.equal(statuses[code], reply.status, told);
  assert.deepEqual([Number(status), title], [reply.status, titles[reply.status]], told);
  assert.ok(String(type).endsWith(`/errors#${code}`), told);
  if (errors !== undefined) assert.ok(reply.status === 400 || reply.status === 422, told);
  for (const { message } of errors ?? [])
    assert.ok(detail.includes(message), `detail joins the messages: ${told}`);
  const retryAfter = reply.headers['retry-after'];
  if (reply.status === 429 || reply.status === 503) assert.match(String(retryAfter), /^[1-9]\d*$/, told);
}

type Operation = { responses: Record<string, unknown> };

function operationOf(document: Fields, method: string, path: string): Operation | undefined {
  const bare = path.split('?')[0] ?? '';
  const paths = document['paths'] as Record<string, Record<string, Operation>>;
  const found = Object.keys(paths)
    .filter((template) => new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(bare))
    .sort((a, b) => a.split('{').length - b.split('{').length)[0];
  return found === undefined ? undefined : paths[found]?.[method.toLowerCase()];
}
