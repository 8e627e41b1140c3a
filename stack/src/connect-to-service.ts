import type { Database } from '@renderkit/server-kit/db/database.ts';
import { parseSecretKey } from '@renderkit/server-kit/secrets.ts';
import * as service from '@renderkit/service/operator.ts';
import { checkSecretKey } from '@renderkit/service/preflight/check-secret-key.ts';
import * as studio from '@renderkit/studio/operator.ts';
import type { PartEnvironments } from './config.ts';

export type ServiceAndStudio = {
  service: Database;
  studio: Database;
  /** The environments with which the parts start: addresses, secrets. */
  environments: PartEnvironments;
};

/** Gives the service a new session of a studio account and ends the previous one. Returns the service's account. */
export async function connectToService(
  databases: ServiceAndStudio,
  email: string,
): Promise<{ accountId: string }> {
  const { environments } = databases;
  const secretKey = parseSecretKey(environments.service['SECRET_KEY'] ?? '');
  if (secretKey === undefined) throw new Error('SECRET_KEY was validated and then lost');
  // Encrypted with a wrong key, the session would be lost, and nobody would notice before its first use.
  await checkSecretKey(databases.service, secretKey);
  const grant = await studio.connect(databases.studio, email, environments.service['STUDIO_CLIENT_ID'] ?? '');
  return service.connectAccount(databases.service, secretKey, {
    studioId: grant.studioId,
    studioAccountId: grant.accountId,
    email: grant.email,
    refreshToken: grant.refreshToken,
  });
}

/** Returns the service's account of a studio account; `undefined` when it was never connected. */
export async function accountInService(
  databases: ServiceAndStudio,
  email: string,
): Promise<string | undefined> {
  const { id } = await studio.showAccount(databases.studio, email);
  return service.findAccount(databases.service, id);
}
