import type { SignInFailure } from '@renderkit/contract/console/sign-in-failures.ts';
import { StudioFailure } from '../../studio-client/studio-failure.ts';

/**
 * Errors that the browser brings back (RFC 6749 §4.1.2.1) and that have a failure of their own; all others count as
 * refused.
 */
const failureOfCode = new Map<string, SignInFailure>([
  ['access_denied', 'denied'],
  ['temporarily_unavailable', 'studio_unavailable'],
]);

/**
 * Returns the failure that the page of failed sign-ins shows for an error. `contract/console/sign-in-failures.ts` has
 * the texts.
 */
export async function failureOf(error: unknown): Promise<SignInFailure> {
  const { AuthorizationResponseError, ClientError, ResponseBodyError, WWWAuthenticateChallengeError } =
    await import('openid-client');
  if (error instanceof AuthorizationResponseError) return failureOfCode.get(error.error) ?? 'studio_refused';
  const failure = studioFailureIn(error);
  if (failure !== undefined) return failure.kind === 'nonsense' ? 'studio_refused' : 'studio_unavailable';
  if (error instanceof ClientError && error.code === 'OAUTH_TIMEOUT') return 'studio_unavailable';
  // The errors that openid-client throws for an invalid answer.
  const refusals = [ClientError, ResponseBodyError, WWWAuthenticateChallengeError];
  if (refusals.some((refusal) => error instanceof refusal)) return 'studio_refused';
  return 'service_failed';
}

/** Returns the kind and place of an error for the log, without anything that the studio or the browser sent. */
export async function describe(
  error: unknown,
): Promise<{ name: string; code: unknown; at: string | undefined }> {
  const { ClientError } = await import('openid-client');
  const { name, code, message } = error as Error & { code?: unknown };
  const failure = studioFailureIn(error);
  return { name, code, at: failure?.message ?? (error instanceof ClientError ? message : undefined) };
}

function studioFailureIn(error: unknown): StudioFailure | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof StudioFailure) return at;
  return undefined;
}
