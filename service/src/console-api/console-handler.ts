import type {
  ConsoleOperationId,
  ConsoleRequestOf,
  ConsoleResponseOf,
} from '@renderkit/contract/console/operations.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { RawReply } from '../http/handler.ts';
import type { Principal } from '../identity/admission/principal.ts';
import type { Actor } from '../identity/audit/actor.ts';

/** The signed-in person. The session was checked in the database for this request. */
export type Person = {
  accountId: string;
  sessionId: string;
  email: string | null;
  /**
   * Until then the person may change prices and secrets without signing in again; null: must sign in again first.
   * `requireFreshSignIn` in `studio/src/administration/asker.ts` checks this.
   */
  freshUntil: Date | null;
};

/** What every handler of the console gets in addition to the validated parts of its request. */
export type ConsoleContext = {
  person: Person;
  /** For calls of the HTTP API's handlers. What they spend counts under the key "Console". */
  principal: Principal;
  /** `req_…`, for logs. */
  requestId: string;
  log: Logger;
  /** Aborts when the client disconnects before its answer. Created on first use. */
  readonly signal: AbortSignal;
  /** The raw body, for operations that take a file. @throws SenderLost when the body comes too slowly */
  readonly bytes: () => AsyncIterable<Uint8Array>;
  /** Bytes of the body, if the client sent the length. */
  readonly contentLength: number | undefined;
};

/** Answers one operation of the console. Throws ApiProblem to refuse. */
export type ConsoleHandler<Id extends ConsoleOperationId> = (
  request: ConsoleRequestOf<Id> & ConsoleContext,
) => Promise<ConsoleResponseOf<Id> | RawReply>;

/** One handler for each operation. The type check fails when one is missing. */
export type ConsoleHandlers = { [Id in ConsoleOperationId]: ConsoleHandler<Id> };

/** Makes the person an asker for the person's own account only. */
export function askerOf({ accountId, sessionId, email }: Person): { actor: Actor; accountId: string } {
  return { accountId, actor: { kind: 'person', sessionId, email } };
}
