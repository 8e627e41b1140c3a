import { Type, type Static } from 'typebox';
import { Account } from '../../v1/schemas/account.ts';
import { closed, nullable, oneOf } from '../../v1/schemas/schema-builders.ts';

/**
 * `live`: the studio accepts it. `expired`: somebody must sign in again. `unreachable`: the studio does not answer.
 * `service/src/console-api/ask-studio.ts` decides between `expired` and `unreachable`.
 */
export const connectionStates = ['live', 'expired', 'unreachable'] as const;

export const Connection = closed(
  {
    object: Type.Literal('connection'),
    state: oneOf(connectionStates, { description: 'How the connection stands.' }),
    studio: closed({
      id: Type.String({ description: "The studio's own id." }),
      url: Type.String({ description: 'How browsers reach it.' }),
      account_id: Type.String({ description: 'Id of the connected account in the studio.' }),
    }),
    account: nullable(Account, { description: 'The studio account; null unless the connection is live.' }),
  },
  { title: 'Connection', description: 'The studio account that pays and renders.' },
);
export type Connection = Static<typeof Connection>;
