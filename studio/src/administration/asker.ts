import { freshSignInHeader } from '@renderkit/contract/studio/administration/fresh-sign-in.ts';
import type { FastifyRequest } from 'fastify';
import type { AdminActor } from '../audit/admin-audit.ts';
import type { Bearer } from '../authentication/authenticate.ts';
import { StudioError } from '../errors.ts';

/** The administrator behind a call. */
export type Asker = {
  actor: AdminActor;
  /**
   * The service reports that the person has proved their identity within the last 15 minutes.
   * `service/src/console-api/administration.ts` sends the header.
   */
  isFresh: boolean;
};

/** Returns the administrator who makes a call. @throws StudioError `forbidden` for everybody else */
export function askerOf({ account }: Bearer, request: FastifyRequest): Asker {
  if (!account.administrator || account.suspended)
    throw new StudioError('forbidden', 'This account is no administrator.');
  return { actor: `account:${account.id}`, isFresh: request.headers[freshSignInHeader] === 'true' };
}

/**
 * To be called before an operation that changes a price, a plan or a secret, or runs commands.
 * @throws StudioError `sign_in_required`
 */
export function requireFreshSignIn({ isFresh }: Asker, what: string): void {
  if (!isFresh)
    throw new StudioError('sign_in_required', `${what}: this asks for a sign-in of the last 15 minutes.`);
}
