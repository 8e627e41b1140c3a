import { Type, type Static } from 'typebox';
import { Balance } from '../../v1/schemas/balance.ts';
import { Limits } from '../../v1/schemas/limits.ts';
import { closed, nullable, oneOf } from '../../v1/schemas/schema-builders.ts';
import { defaultOverviewDays, maxOverviewDays } from '../limits.ts';
import { GenerationRow } from './generation.ts';

/** `service/src/console-api/warnings.ts` decides which are shown. */
export const warningCodes = [
  'connection_expired',
  'studio_unreachable',
  'endpoint_failing',
  'budget_nearly_used',
  'storage_nearly_used',
] as const;
export type WarningCode = (typeof warningCodes)[number];

const Warning = closed(
  {
    code: oneOf(warningCodes),
    detail: Type.String({ description: 'A sentence for people.' }),
    subject_id: nullable(Type.String(), { description: 'Id of the endpoint or key that it is about.' }),
  },
  { title: 'Warning' },
);
export type Warning = Static<typeof Warning>;

const count = Type.Integer({ minimum: 0 });

export const Overview = closed(
  {
    object: Type.Literal('overview'),
    balance: nullable(Balance, { description: 'Null while the studio cannot be asked.' }),
    limits: nullable(Limits, {
      description: 'What may run, runs and waits; null while the studio cannot be asked.',
    }),
    days: Type.Array(Type.String({ format: 'date' }), { description: 'UTC days, oldest first, today last.' }),
    spend: Type.Array(
      closed({
        key_id: Type.String(),
        name: Type.String(),
        credits: Type.Array(Type.Number(), { description: 'One number for each day.' }),
      }),
      { description: 'Credits committed by each key that spent any in these days.' },
    ),
    outcomes: closed(
      {
        succeeded: Type.Array(count),
        failed: Type.Array(count),
        canceled: Type.Array(count),
        open: Type.Array(count),
      },
      {
        description:
          'Generations by the UTC day of their creation, one number for each day; open: not finished yet.',
      },
    ),
    latest: Type.Array(GenerationRow, { description: 'The newest that have outputs.' }),
    warnings: Type.Array(Warning),
  },
  { title: 'Overview' },
);
export type Overview = Static<typeof Overview>;

export const OverviewQuery = closed({
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: maxOverviewDays, default: defaultOverviewDays })),
});
