import { Type, type Static } from 'typebox';

// The feed by which a studio tells its client what became of renders and uploads.

const id = Type.String({ minLength: 1, maxLength: 200 });
const sequence = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const ChangesRequest = Type.Object({
  accounts: Type.Array(Type.Object({ account: id, cursor: sequence }), { minItems: 1, maxItems: 5_000 }),
  wait_seconds: Type.Integer({ minimum: 0, maximum: 25 }),
});
export const Change = Type.Object({
  /** The account's own counter, raised in the transaction of the change: no gaps appear later. */
  seq: sequence,
  type: Type.Union([Type.Literal('render'), Type.Literal('upload')]),
  token: id,
  /** As it stood at the change; for type `render`. */
  render: Type.Optional(Type.Unknown()),
  /** In place of a render: the token was tombstoned. A studio that does not tell of it says so at the next submit. */
  barred: Type.Optional(Type.Literal(true)),
  /** As it stood at the change; for type `upload`. */
  upload: Type.Optional(Type.Unknown()),
});
const AccountChanges = Type.Union([
  Type.Object({
    account: id,
    status: Type.Literal('changes'),
    changes: Type.Array(Change, { maxItems: 200 }),
    cursor: sequence,
  }),
  /** The cursor is too old: look up everything in flight by token, then go on from `cursor`. */
  Type.Object({ account: id, status: Type.Literal('reset'), cursor: sequence }),
  /** There is no live grant for the asking client: the connection has ended. */
  Type.Object({ account: id, status: Type.Literal('ended') }),
]);
export type AccountChanges = Static<typeof AccountChanges>;
/** Only the accounts that moved. */
export const ChangesAnswer = Type.Object({ accounts: Type.Array(AccountChanges, { maxItems: 5_000 }) });
