import { RenderkitError } from 'renderkit';
import { exitCodes } from '../cli-error.ts';
import { failureOf } from '../failure.ts';

/** Returns whether an error concerns only this row, so that the next row may succeed. */
export function isOfTheRow(error: unknown): error is RenderkitError {
  if (!RenderkitError.is(error)) return false;
  const { exitCode } = failureOf(error) ?? {};
  return (
    exitCode === exitCodes.usage ||
    exitCode === exitCodes.failed ||
    exitCode === exitCodes.moderation ||
    error.code === 'tier_required' ||
    error.code === 'not_found' ||
    error.code === 'unprocessable' ||
    error.code === 'conflict'
  );
}
