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

/** The sentence that a page shows for any error. */
export function sentenceOf(error: unknown): string {
  if (isWithoutAnswer(error))
    return 'The service did not answer. Check the connection; the page tries again by itself.';
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
  return isWithoutAnswer(error) || (RenderkitError.is(error) && (error.status ?? 0) >= 500);
}

/** Whether sending the request again may help: nothing answered, or the service says that this passes. */
export function isTransient(error: unknown): boolean {
  return isWithoutAnswer(error) || (RenderkitError.is(error) && [429, 502, 503].includes(error.status ?? 0));
}

function isWithoutAnswer(error: unknown): boolean {
  return hasCode(error, 'connection_failed');
}
