import type {
  ConsoleOperationId,
  ConsoleRequestOf,
  ConsoleResponseOf,
} from '@renderkit/contract/console/operations.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { RawReply } from '../http/handler.ts';
import type { Principal } from '../identity/admission/principal.ts';
import type { Actor } from '../identity/audit/actor.ts';

/** Who is signed in, by a session that was checked in the database for this very request. */
export type Person = {
  accountId: string;
  sessionId: string;
  email: string | null;
  /** Until when prices and secrets can be changed without signing in again; null: not without it. */
  freshUntil: Date | null;
};

/** What every handler of the console gets beside the validated parts of its request. */
export type ConsoleContext = {
  person: Person;
  /** For what the person does through the HTTP API's handlers: it is spent and counted as "Console". */
  principal: Principal;
  /** `req_…`, for logs. */
  requestId: string;
  log: Logger;
  /** Aborts when the client has gone before its answer. Made when first asked for. */
  readonly signal: AbortSignal;
  /** The body as it comes, of operations that take a file. @throws SenderLost where it comes too slowly */
  readonly bytes: () => AsyncIterable<Uint8Array>;
  /** Bytes of the body, where the client said it. */
  readonly contentLength: number | undefined;
};

/** Answers one operation of the console. It throws ApiProblem to refuse. */
export type ConsoleHandler<Id extends ConsoleOperationId> = (
  request: ConsoleRequestOf<Id> & ConsoleContext,
) => Promise<ConsoleResponseOf<Id> | RawReply>;

/** One handler for each operation: the type reports one that is missing. */
export type ConsoleHandlers = { [Id in ConsoleOperationId]: ConsoleHandler<Id> };

/** A person asks for the own account, and for nothing of another. */
export function askerOf({ accountId, sessionId, email }: Person): { actor: Actor; accountId: string } {
  return { accountId, actor: { kind: 'person', sessionId, email } };
}
