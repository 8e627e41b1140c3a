import type { ConsoleProblemCode } from '@renderkit/contract/console/problem-codes.ts';
import { RenderkitError, type RenderkitErrorCode } from 'renderkit/errors';

/** Whether a request was refused, or got no answer, for this reason. */
export function hasCode(error: unknown, code: RenderkitErrorCode | ConsoleProblemCode): boolean {
  return RenderkitError.is(error) && (error.code as RenderkitErrorCode | ConsoleProblemCode) === code;
}

/** Whether the session has ended. */
export function isSignedOut(error: unknown): boolean {
  return RenderkitError.is(error) && error.status === 401;
}

/** Whether somebody else has signed in, in another tab of this browser. */
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

/** `req_…`, to quote to the operator; undefined where something other than the service answered. */
export function requestIdOf(error: unknown): string | undefined {
  return RenderkitError.is(error) ? error.requestId : undefined;
}

/** The message about one field of a form, if the service named that field. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!RenderkitError.is(error)) return undefined;
  return error.errors.find((one) => one.field === field)?.message;
}

/** Whether a request may have been accepted although it failed here: there was no answer, or a server's error. */
export function isUnconfirmed(error: Error): boolean {
  return hasCode(error, 'connection_failed') || (RenderkitError.is(error) && (error.status ?? 0) >= 500);
}

/**
 * Whether an answer to a create leaves open what became of it: there was none, or it was refused before its key was looked at. The
 * same key is good for it yet.
 */
export function saysNothingOfIt(error: Error): boolean {
  return (
    isUnconfirmed(error) ||
    isOfOtherAccount(error) ||
    (RenderkitError.is(error) && [401, 429].includes(error.status ?? 0))
  );
}

/** Whether sending the request again may help: nothing answered, or the service says that this passes. */
export function isTransient(error: unknown): boolean {
  return (
    hasCode(error, 'connection_failed') ||
    (RenderkitError.is(error) && [429, 502, 503].includes(error.status ?? 0))
  );
}

/** Whether nothing answered: an answer that could not be read has a status. */
export function isWithoutAnswer(error: unknown): boolean {
  return hasCode(error, 'connection_failed') && (error as RenderkitError).status === undefined;
}

/** An answer that is none of the service's, which sends no redirect and nothing but JSON; undefined for any other error. */
function answerOfStranger(error: unknown): string | undefined {
  if (!RenderkitError.is(error) || error.status === undefined) return undefined;
  const { status } = error;
  // A browser hides where a redirect leads, and its status too.
  if (status === 0) return 'it redirects';
  if (status >= 300 && status < 400) return `it redirects, with status ${status}`;
  return hasCode(error, 'connection_failed') ? `no JSON, with status ${status}` : undefined;
}
