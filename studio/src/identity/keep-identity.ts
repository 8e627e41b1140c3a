import type { IdentityStore } from '@renderkit/identity/identity-store.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createAccount } from '../accounts/create-account.ts';
import { findResetToken, resetPassword } from '../accounts/reset-link.ts';
import { changePassword } from '../accounts/set-password.ts';
import { storedId } from '../authentication/authenticate.ts';
import { isUnderMaintenance } from '../authentication/queries.ts';
import {
  consumePayload,
  countAttempt,
  deleteGrant,
  deletePayload,
  deleteSpentGrants,
  findPassword,
  findPayload,
  findPerson,
  forgiveAttempt,
  hasGranted,
  writePayload,
} from './store.ts';

/** Stores the data of the identity provider in the studio's database. */
export function createIdentityStore(database: Database): IdentityStore {
  return {
    writePayload: (payload) =>
      writePayload(database, { ...payload, id: storedId(payload.model, payload.id) }),
    findPayload: (by, model, value) =>
      findPayload(database, by, model, by === 'id' ? storedId(model, value) : value),
    consumePayload: (model, id) => consumePayload(database, model, storedId(model, id)),
    deletePayload: (model, id) => deletePayload(database, model, storedId(model, id)),
    deleteGrant: (grantId) => deleteGrant(database, grantId),
    deleteSpentGrants: (accountId, clientId) => deleteSpentGrants(database, accountId, clientId),
    hasGranted: (accountId, clientId, scopes) => hasGranted(database, accountId, clientId, scopes),
    findPerson: (accountId) => findPerson(database, accountId),
    findPassword: (email) => findPassword(database, email),
    createAccount: (person, from) =>
      createAccount(
        database,
        { ...person, tier: undefined, creditsMillicredits: undefined },
        { kind: 'person', address: from },
      ),
    changePassword: (password, from) => changePassword(database, password, { kind: 'person', address: from }),
    findReset: (token) => findResetToken(database, token),
    resetPassword: (reset, from) => resetPassword(database, reset, { kind: 'link', address: from }),
    countAttempt: (subject, windowSeconds) => countAttempt(database, subject, windowSeconds),
    forgiveAttempt: (subjects) => forgiveAttempt(database, subjects),
    isUnderMaintenance: () => isUnderMaintenance(database),
  };
}
