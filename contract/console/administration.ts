import { Type, type Static, type TSchema } from 'typebox';
import {
  AdministrationAnswer,
  type AdministrationOperationId,
  administrationOperationIds,
  administrationOperations as studioOperations,
} from '../studio/administration/operations.ts';
import type { StudioOperation } from '../studio/operation.ts';
import { jsonContentBytes } from '../v1/limits.ts';
import { closed, nullable } from '../v1/schemas/schema-builders.ts';
import type { ConsoleOperation } from './operation.ts';

/** The rights of the signed-in person beyond the own account. */
export const Administration = closed(
  {
    object: Type.Literal('administration'),
    offered: Type.Boolean({ description: 'Whether the studio has administration at all.' }),
    administrator: Type.Boolean({
      description: 'Whether this person may. Pages are shown where both are true.',
    }),
    fresh_until: nullable(Type.String({ format: 'date-time' }), {
      description:
        'Until when prices and secrets can be changed without signing in again; null: not without it.',
    }),
    engines: Type.Array(AdministrationAnswer.properties.engines.items, {
      description: 'What a backend can be of; empty where the person is no administrator.',
    }),
  },
  { title: 'Administration' },
);
export type Administration = Static<typeof Administration>;

type Parts = 'params' | 'query' | 'body' | 'bytes';
type AsConsole<Operation extends StudioOperation> = {
  method: Operation['method'];
  path: `/console/api/administration${string}`;
  summary: string;
  request: Pick<Operation, Extract<keyof Operation, Parts>>;
  response: { status: 200; schema: Operation['answer'] };
  problems: ConsoleOperation['problems'];
};
type StudioOperations = typeof studioOperations;

const problems = [
  'sign_in_required',
  'not_found',
  'conflict',
  'connection_expired',
  'upstream_error',
  'upstream_unavailable',
] as const satisfies ConsoleOperation['problems'];

/** Large enough for two thousand styles with a few hundred characters each. */
const listLimits = { bodyLimitBytes: jsonContentBytes, maxBodyValues: 12_000 };

function asConsole({
  method,
  path,
  params,
  query,
  body,
  bytes,
  list,
  answer,
  ...rest
}: StudioOperation & {
  summary: string;
}): ConsoleOperation {
  const request: ConsoleOperation['request'] = {
    ...(params && { params }),
    ...(query && { query }),
    ...(body && { body }),
    ...(bytes && { bytes }),
    ...(list && listLimits),
  };
  return {
    method,
    path: `/console${path.replaceAll(/:(\w+)/g, '{$1}') as `/api/${string}`}`,
    summary: rest.summary,
    request,
    response: { status: 200, schema: answer },
    problems,
  };
}

// Converts each operation of the studio to one of the console. The cast restores the exact types.
const passedOn = Object.fromEntries(
  administrationOperationIds.map((id) => [id, asConsole(studioOperations[id])]),
) as { [Id in AdministrationOperationId]: AsConsole<StudioOperations[Id]> };

/**
 * The studio's administration for a signed-in administrator: the same requests, answers and refusals, below the
 * console's prefix. Changes of a price or a secret are refused with `sign_in_required` unless the session's sign-in is
 * at most 15 minutes old. The studio refuses: `studio/src/administration/asker.ts`.
 */
export const administrationOperations = {
  ...passedOn,
  /** Available to everybody who is signed in. */
  getAdministration: {
    ...passedOn.getAdministration,
    response: { status: 200, schema: Administration satisfies TSchema },
  },
} as const;
