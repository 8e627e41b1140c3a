import { type Adapter, errors } from 'oidc-provider';
import type { IdentityStore, StoredPayload } from '../identity-store.ts';

/**
 * Stores the objects of oidc-provider. A rotated refresh token works again for a minute, until its successor is used.
 * `servesAgain` in `studio/src/identity/store.ts` decides this. A client may have been killed between our answer and
 * its own commit, or may have received our answer too late. It then sends the old token again, and must not be logged
 * out. Any later use revokes the whole family, as RFC 9700 §4.14.2 requires.
 */
export function createAdapter(store: IdentityStore, model: string): Adapter {
  const restore = (row: StoredPayload | undefined, id?: string) =>
    row && {
      ...row.payload,
      ...(id !== undefined && { jti: id }),
      ...(row.consumed_at_seconds !== null && { consumed: row.consumed_at_seconds }),
    };
  return {
    upsert: async (id, { jti: _jti, ...payload }, expiresIn) => {
      // The provider would keep the session of a browser without a signed-in person as long as any other.
      if (model === 'Session' && payload['accountId'] === undefined) return;
      const written = await store.writePayload({
        model,
        id,
        // A grant's id is not secret, so it is stored. A session is found by its uid, without the id in its cookie.
        payload: model === 'Grant' ? { ...payload, jti: id } : payload,
        expiresIn,
      });
      if (!written) throw new errors.InvalidGrant('the grant was revoked');
    },
    find: async (id) => restore(await store.findPayload('id', model, id), id),
    findByUid: async (uid) => restore(await store.findPayload('uid', model, uid)),
    findByUserCode: async (code) => restore(await store.findPayload('user_code', model, code)),
    consume: async (id) => {
      if (!(await store.consumePayload(model, id))) throw new errors.InvalidGrant('already used');
    },
    destroy: async (id) => {
      if (model === 'Grant') await store.deleteGrant(id);
      else await store.deletePayload(model, id);
    },
    revokeByGrantId: async (grantId) => {
      await store.deleteGrant(grantId);
    },
  };
}
