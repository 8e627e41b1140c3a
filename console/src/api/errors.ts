import type { ConsoleProblemCode } from '@renderkit/contract/console/problem-codes.ts';
import { RenderkitError, type RenderkitErrorCode } from 'renderkit/errors';

/** Returns whether a request failed with this code. */
export function hasCode(error: unknown, code: RenderkitErrorCode | ConsoleProblemCode): boolean {
  return RenderkitError.is(error) && (error.code as RenderkitErrorCode | ConsoleProblemCode) === code;
}

/** Returns whether the session has ended. `console/src/app/router.tsx` then opens the sign-in page. */
export function isSignedOut(error: unknown): boolean {
  return RenderkitError.is(error) && error.status === 401;
}

/** Returns whether another person has signed in, in another tab of this browser. */
export function isOfOtherAccount(error: unknown): boolean {
  return hasCode(error, 'other_account');
}

/** The sentence that a page shows for any error. */
export function sentenceOf(error: unknown): string {
  if (isWithoutAnswer(error)) return 'The service did not answer. Check the connection.';
  const stranger = answerOfStranger(error);
  if (stranger !== undefined)
    return `What answered was not the service: ${stranger}. A proxy in between may be wrong, or want a sign-in of its own.`;
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns the request id (`req_…`) to give to the operator. `undefined` when the response did not come from the
 * service.
 */
export function requestIdOf(error: unknown): string | undefined {
  return RenderkitError.is(error) ? error.requestId : undefined;
}

/** Returns the message about one field of a form, if the service named this field. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!RenderkitError.is(error)) return undefined;
  return error.errors.find((one) => one.field === field)?.message;
}

/**
 * Returns whether a request may have been accepted although it failed here: no response arrived, or the server reported
 * an error.
 */
export function isUnconfirmed(error: Error): boolean {
  return hasCode(error, 'connection_failed') || (RenderkitError.is(error) && (error.status ?? 0) >= 500);
}

/**
 * Returns whether the outcome of a create is unknown: no response arrived, or the request was refused before its key
 * was checked. The same key can then be used again. `console/src/generations/use-burst.ts` then keeps the key.
 */
export function saysNothingOfIt(error: Error): boolean {
  return (
    isUnconfirmed(error) ||
    isOfOtherAccount(error) ||
    (RenderkitError.is(error) && [401, 429].includes(error.status ?? 0))
  );
}

/**
 * Returns whether a retry may help: no response arrived, or the service reports a temporary error. `query-client.ts`
 * and `try-each.ts` decide how often to retry.
 */
export function isTransient(error: unknown): boolean {
  return (
    hasCode(error, 'connection_failed') ||
    (RenderkitError.is(error) && [429, 502, 503].includes(error.status ?? 0))
  );
}

/** Returns whether no response arrived. A response that could not be read has a status. */
export function isWithoutAnswer(error: unknown): boolean {
  return hasCode(error, 'connection_failed') && (error as RenderkitError).status === undefined;
}

/**
 * Describes a response that did not come from the service, which sends only JSON and no redirects. `undefined` for any
 * other error.
 */
function answerOfStranger(error: unknown): string | undefined {
  if (!RenderkitError.is(error) || error.status === undefined) return undefined;
  const { status } = error;
  // A browser hides the target of a redirect, and its status.
  if (status === 0) return 'it redirects';
  if (status >= 300 && status < 400) return `it redirects, with status ${status}`;
  return hasCode(error, 'connection_failed') ? `no JSON, with status ${status}` : undefined;
}
