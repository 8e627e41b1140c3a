import { explainFileError } from '@renderkit/server-kit/files/file-errors.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { StackError } from './stack-error.ts';

/** Returns the text for the terminal: only the sentence for errors that a user can fix, all details for a bug. */
export function explainError(error: unknown): string {
  if (error instanceof StackError || error instanceof ConfigError) return error.message;
  const known = explainFileError(error);
  if (known !== undefined) return known;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
