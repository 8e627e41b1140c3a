import { freshSignInHeader } from '@renderkit/contract/studio/administration/fresh-sign-in.ts';
import {
  type AdministrationOperationId,
  administrationOperationIds,
} from '@renderkit/contract/studio/administration/operations.ts';
import { maxImportBytes } from '@renderkit/contract/studio/administration/models.ts';
import type { StudioErrorCode } from '@renderkit/contract/studio/errors.ts';
import { SenderLost } from '@renderkit/server-kit/http/paced-body.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import type { CallOptions, StudioClient } from '../studio-client/studio-client.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';
import { translated, translateStudioFailure } from '../studio-client/translate-error.ts';
import type { ConsoleContext, ConsoleHandler, ConsoleHandlers, Person } from './console-handler.ts';

type PassedOnId = Exclude<AdministrationOperationId, 'getAdministration' | 'importModel'>;

/** Timeout of operations that ask machines, in milliseconds. A machine that reloads its lists needs that long. */
const asksMachineMs = 150_000;
const timeouts: { [Id in AdministrationOperationId]?: number } = {
  addBackend: asksMachineMs,
  checkBackend: asksMachineMs,
  fullyCheckBackend: 15 * 60_000,
  importModel: asksMachineMs,
  editModel: asksMachineMs,
  bindParameters: asksMachineMs,
  checkModelVersion: asksMachineMs,
  publishModel: asksMachineMs,
};

/**
 * Passes operations of the studio's administration on for the signed-in person. The studio decides who is an
 * administrator and which operations need a fresh sign-in (`studio/src/administration/asker.ts`). The service reports
 * how fresh the session's sign-in is.
 */
export function administrationHandlers({
  studioClient,
}: {
  studioClient: Pick<StudioClient, 'call' | 'sendBytes'>;
}): Pick<ConsoleHandlers, AdministrationOperationId> {
  const ids = administrationOperationIds.filter(
    (id): id is PassedOnId => id !== 'getAdministration' && id !== 'importModel',
  );
  const passedOn = Object.fromEntries(ids.map((id) => [id, passOn(studioClient, id)])) as {
    [Id in PassedOnId]: ConsoleHandler<Id>;
  };
  return {
    ...passedOn,
    getAdministration: ({ person }) => readAdministration(studioClient, person),
    importModel: async ({ person, query, bytes, contentLength, signal }) => {
      if ((contentLength ?? 0) > maxImportBytes) throw tooLarge();
      return administered(
        studioClient.sendBytes('importModel', {
          ...callerOf(person),
          query,
          body: bytes,
          signal,
          timeoutMs: asksMachineMs,
        }),
      );
    },
  };
}

function passOn<Id extends PassedOnId>(
  studioClient: Pick<StudioClient, 'call'>,
  id: Id,
): (request: { params: object; query: object; body: object } & ConsoleContext) => Promise<unknown> {
  const timeoutMs = timeouts[id];
  return ({ person, params, query, body, signal }) => {
    // Both tables are the same, so what the console's schemas accept is what the studio's schemas accept.
    const options = {
      ...callerOf(person),
      ...(Object.keys(params).length > 0 && { params }),
      query,
      ...(Object.keys(body).length > 0 && { body }),
      signal,
      ...(timeoutMs !== undefined && { timeoutMs }),
    } as unknown as CallOptions<Id>;
    return administered(studioClient.call(id, options));
  };
}

function callerOf({ accountId, freshUntil }: Person) {
  return { accountId, headers: { [freshSignInHeader]: String(freshUntil !== null) } };
}

/**
 * The studio's metadata report whether it has an administration. The account reports whether the person is an
 * administrator.
 */
async function readAdministration(studioClient: Pick<StudioClient, 'call'>, person: Person) {
  const { accountId, freshUntil } = person;
  const [{ administration: offered = false }, { administrator = false }] = await translated(
    Promise.all([studioClient.call('getMetadata', {}), studioClient.call('getAccount', { accountId })]),
  );
  const { engines } =
    offered && administrator
      ? await administered(studioClient.call('getAdministration', callerOf(person)))
      : { engines: [] };
  return {
    object: 'administration' as const,
    offered,
    administrator,
    fresh_until: freshUntil?.toISOString() ?? null,
    engines,
  };
}

const codes: { [Code in StudioErrorCode]?: ApiProblem['code'] } = {
  invalid_request: 'invalid_request',
  forbidden: 'forbidden',
  sign_in_required: 'sign_in_required',
  not_found: 'not_found',
  conflict: 'conflict',
};

/**
 * Administrators, unlike users, read the studio's own messages: these are about its machines and files. @throws
 * ApiProblem
 */
async function administered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof SenderLost)
      throw new ApiProblem('invalid_request', { detail: 'The file did not come whole.', cause: error });
    if (!(error instanceof StudioFailure) || error.kind !== 'refused' || error.said === undefined)
      throw translateStudioFailure(error);
    if (error.studioCode === 'too_large') throw tooLarge(error);
    const code = error.studioCode && codes[error.studioCode];
    if (code === undefined) throw translateStudioFailure(error);
    const { message, errors } = error.said;
    throw new ApiProblem(code, { detail: message, ...(errors.length > 0 && { errors }), cause: error });
  }
}

function tooLarge(cause?: unknown): ApiProblem {
  const megabytes = maxImportBytes / 1024 / 1024;
  return new ApiProblem('invalid_request', { detail: `The file has more than ${megabytes} MB.`, cause });
}
