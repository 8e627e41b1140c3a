import { explainFileError } from '@renderkit/server-kit/files/file-errors.ts';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { StackError } from './stack-error.ts';

/** The text for the terminal: the sentence alone where a person can act on it, all we know where it is our fault. */
export function explainError(error: unknown): string {
  if (error instanceof StackError || error instanceof ConfigError) return error.message;
  const known = explainFileError(error);
  if (known !== undefined) return known;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
