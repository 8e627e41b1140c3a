import {
  type StudioOperation,
  type StudioOperationId,
  studioOperations,
} from '@renderkit/contract/studio/operations.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './http-call.ts';
import { readRefusal } from './read-refusal.ts';

const megabyte = 1024 * 1024;
/** Bytes of an answer at most. */
const maxAnswerBytes = megabyte;
const maxAnswerBytesOf: { [Id in StudioOperationId]?: number } = {
  getCatalog: 8 * megabyte,
  lookUpRenders: 4 * megabyte,
  lookUpUploads: 4 * megabyte,
  readChanges: 16 * megabyte,
};
// Everything else may be sent twice and does no more than once: it reads, or it names its own token.
const notRepeatable = new Set<StudioOperationId>(['createProject']);
/** What a call consists of beside its operation. */
export type Parts = {
  accountId?: string | undefined;
  params?: Record<string, string> | undefined;
  query?: Record<string, string | number | boolean | undefined> | undefined;
  body?: unknown;
  bytes?: AsyncIterable<Uint8Array>;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  ifNoneMatch?: string | undefined;
};

/** Sends one call and reads its status; whatever is no success is thrown. @throws StudioFailure */
export async function send(
  exchange: Exchange,
  operation: StudioOperationId,
  parts: Parts,
  authorization: Record<string, string>,
  timeoutMs: number,
): Promise<Reply> {
  const { method, path }: StudioOperation = studioOperations[operation];
  const heldSeconds = (parts.body as { wait_seconds?: number } | undefined)?.wait_seconds ?? 0;
  const reply = await exchange.send({
    method,
    path: pathOf(path, parts.params) + queryOf(parts.query),
    headers: {
      ...authorization,
      accept: 'application/json',
      ...(parts.body !== undefined && { 'content-type': 'application/json' }),
      ...(parts.bytes !== undefined && { 'content-type': 'application/octet-stream' }),
      ...(parts.ifNoneMatch !== undefined && { 'if-none-match': parts.ifNoneMatch }),
    },
    ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
    ...(parts.bytes !== undefined && { body: parts.bytes }),
    timeoutMs: parts.timeoutMs ?? timeoutMs + heldSeconds * 1000,
    maxBytes: maxAnswerBytesOf[operation] ?? maxAnswerBytes,
    repeatable: parts.bytes === undefined && !notRepeatable.has(operation),
    ...(parts.signal !== undefined && { signal: parts.signal }),
  });
  if (reply.status === 200 || reply.status === 201) return reply;
  if (reply.status === 304 && parts.ifNoneMatch !== undefined) return reply;
  throw readRefusal(operation, reply);
}

function pathOf(path: string, params: Record<string, string> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

function queryOf(query: Record<string, string | number | boolean | undefined> = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given.toString()}`;
}
