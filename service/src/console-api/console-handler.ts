import type {
  ConsoleOperationId,
  ConsoleRequestOf,
  ConsoleResponseOf,
} from '@renderkit/contract/console/operations.ts';

/** Who is signed in, by a session that was checked in the database for this very request. */
export type Person = {
  accountId: string;
  sessionId: string;
  email: string | null;
};

/** What every handler of the console gets beside the validated parts of its request. */
export type ConsoleContext = {
  person: Person;
  /** `req_…`, for logs. */
  requestId: string;
};

/** Answers one operation of the console. It throws ApiProblem to refuse. */
export type ConsoleHandler<Id extends ConsoleOperationId> = (
  request: ConsoleRequestOf<Id> & ConsoleContext,
) => Promise<ConsoleResponseOf<Id>>;

/** One handler for each operation: the type reports one that is missing. */
export type ConsoleHandlers = { [Id in ConsoleOperationId]: ConsoleHandler<Id> };
