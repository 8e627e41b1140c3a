import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type Adapter, errors } from 'oidc-provider';
import {
  consumePayload,
  deleteGrant,
  deletePayload,
  findPayload,
  type StoredPayload,
  storedId,
  writePayload,
} from './store.ts';

/**
 * Keeps what oidc-provider wants kept, in PostgreSQL. A rotated refresh token serves once more for a minute: a
 * client that was killed between our answer and its own commit asks with the old one again, and must not be
 * logged out for it. Any use after that revokes the whole family, as RFC 9700 §4.14.2 wants.
 */
export function createAdapter(database: Database, model: string): Adapter {
  const restore = (row: StoredPayload | undefined, id?: string) =>
    row && {
      ...row.payload,
      ...(id !== undefined && { jti: id }),
      ...(row.consumed_at_seconds !== null && { consumed: row.consumed_at_seconds }),
    };
  return {
    upsert: async (id, { jti: _jti, ...payload }, expiresIn) => {
      // The provider would keep a browser in which nobody is signed in for as long as any other.
      if (model === 'Session' && payload['accountId'] === undefined) return;
      const written = await writePayload(database, {
        model,
        id: storedId(model, id),
        // A grant's id is no secret, and a session's is found by its uid, without the cookie.
        payload: model === 'Grant' ? { ...payload, jti: id } : payload,
        expiresIn,
      });
      if (!written) throw new errors.InvalidGrant('the grant was revoked');
    },
    find: async (id) => restore(await findPayload(database, 'id', model, storedId(model, id)), id),
    findByUid: async (uid) => restore(await findPayload(database, 'uid', model, uid)),
    findByUserCode: async (code) => restore(await findPayload(database, 'user_code', model, code)),
    consume: async (id) => {
      if (!(await consumePayload(database, model, storedId(model, id))))
        throw new errors.InvalidGrant('already used');
    },
    destroy: async (id) => {
      if (model === 'Grant') await deleteGrant(database, id);
      else await deletePayload(database, model, storedId(model, id));
    },
    revokeByGrantId: async (grantId) => {
      await deleteGrant(database, grantId);
    },
  };
}
