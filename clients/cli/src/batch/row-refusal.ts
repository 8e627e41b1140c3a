import { RenderkitError } from 'renderkit';
import { exitCodes } from '../cli-error.ts';
import { failureOf } from '../failure.ts';

/** Whether a refusal tells of this row alone, so that the next one may do better. */
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
