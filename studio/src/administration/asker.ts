import { freshSignInHeader } from '@renderkit/contract/studio/administration/fresh-sign-in.ts';
import type { FastifyRequest } from 'fastify';
import type { AdminActor } from '../audit/admin-audit.ts';
import type { Bearer } from '../authentication/authenticate.ts';
import { StudioError } from '../errors.ts';

/** The administrator behind a call. */
export type Asker = {
  actor: AdminActor;
  /** By the service's word: the person has proved within a quarter of an hour who they are. */
  isFresh: boolean;
};

/** @throws StudioError `forbidden` for everybody else */
export function askerOf({ account }: Bearer, request: FastifyRequest): Asker {
  if (!account.administrator || account.suspended)
    throw new StudioError('forbidden', 'This account is no administrator.');
  return { actor: `account:${account.id}`, isFresh: request.headers[freshSignInHeader] === 'true' };
}

/** Called before what changes a price, a plan or a secret, or runs commands. @throws StudioError `sign_in_required` */
export function requireFreshSignIn({ isFresh }: Asker, what: string): void {
  if (!isFresh)
    throw new StudioError('sign_in_required', `${what}: this asks for a sign-in of the last 15 minutes.`);
}
