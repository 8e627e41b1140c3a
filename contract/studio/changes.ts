import { Type, type Static } from 'typebox';

// The feed in which a studio reports the results of renders and uploads to its client.

const id = Type.String({ minLength: 1, maxLength: 200 });
const sequence = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/**
 * The studio answers in `studio/src/changes/watch-changes.ts`; the service reads in
 * `service/src/generations/follow/feed.ts`.
 */
export const ChangesRequest = Type.Object({
  accounts: Type.Array(Type.Object({ account: id, cursor: sequence }), { minItems: 1, maxItems: 5_000 }),
  wait_seconds: Type.Integer({ minimum: 0, maximum: 25 }),
});
export const Change = Type.Object({
  /** A counter for each account, incremented in the transaction of the change. So no missing numbers appear later. */
  seq: sequence,
  type: Type.Union([Type.Literal('render'), Type.Literal('upload')]),
  token: id,
  /** The state at the change; for type `render`. */
  render: Type.Optional(Type.Unknown()),
  /**
   * Replaces `render` when the token was tombstoned. A studio that does not report it here reports it at the next
   * submit.
   */
  barred: Type.Optional(Type.Literal(true)),
  /** The state at the change; for type `upload`. */
  upload: Type.Optional(Type.Unknown()),
});
const AccountChanges = Type.Union([
  Type.Object({
    account: id,
    status: Type.Literal('changes'),
    changes: Type.Array(Change, { maxItems: 200 }),
    cursor: sequence,
  }),
  /** The cursor is too old. The client must look up all its running work by token, then continue from `cursor`. */
  Type.Object({ account: id, status: Type.Literal('reset'), cursor: sequence }),
  /** The client has no valid grant for the account: the connection has ended. */
  Type.Object({ account: id, status: Type.Literal('ended') }),
]);
export type AccountChanges = Static<typeof AccountChanges>;
/** Contains only accounts with changes. */
export const ChangesAnswer = Type.Object({ accounts: Type.Array(AccountChanges, { maxItems: 5_000 }) });
