import type { Database } from '@renderkit/server-kit/db/database.ts';
import { parseSecretKey } from '@renderkit/server-kit/secrets.ts';
import * as service from '@renderkit/service/operator.ts';
import { checkSecretKey } from '@renderkit/service/preflight/check-secret-key.ts';
import * as studio from '@renderkit/studio/operator.ts';
import type { PartEnvironments } from './config.ts';

export type ServiceAndStudio = {
  service: Database;
  studio: Database;
  /** What the parts are started with: addresses, secrets. */
  environments: PartEnvironments;
};

/** Gives the service a new session of a studio account, ending the one it had. Answers the service's account. */
export async function connectToService(
  databases: ServiceAndStudio,
  email: string,
): Promise<{ accountId: string }> {
  const { environments } = databases;
  const secretKey = parseSecretKey(environments.service['SECRET_KEY'] ?? '');
  if (secretKey === undefined) throw new Error('SECRET_KEY was validated and then lost');
  // Encrypted under a wrong key the session would be lost, and nobody would know before it is used.
  await checkSecretKey(databases.service, secretKey);
  const grant = await studio.connect(databases.studio, email, environments.service['STUDIO_CLIENT_ID'] ?? '');
  return service.connectAccount(databases.service, secretKey, {
    studioId: grant.studioId,
    studioAccountId: grant.accountId,
    email: grant.email,
    refreshToken: grant.refreshToken,
  });
}

/** The service's account of a studio account; undefined where it was never connected. */
export async function accountInService(
  databases: ServiceAndStudio,
  email: string,
): Promise<string | undefined> {
  const { id } = await studio.showAccount(databases.studio, email);
  return service.findAccount(databases.service, id);
}
