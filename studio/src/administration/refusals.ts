import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import { BackendError } from '../backends/backend.ts';
import { PublishError } from '../catalog/publish.ts';
import { type FieldError, StudioError } from '../errors.ts';
import { ModelChanged, ModelMissing, ModelRefused } from './models.ts';

const backendCodes = { invalid: 'invalid_request', missing: 'not_found', conflict: 'conflict' } as const;
const maxErrors = 50;

/** Turns an error of an operation into the refusal that an administrator reads. Errors of our own stay as they are. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof BackendError) {
    const { message, kind, field } = error;
    const errors = field === undefined ? [] : [{ field, message: clauseOf(message) }];
    return refusal(backendCodes[kind], message, errors, error);
  }
  if (error instanceof ModelMissing) return refusal('not_found', error.message, [], error);
  if (error instanceof ModelChanged) return refusal('conflict', error.message, [], error);
  if (error instanceof ModelRefused && error.cause instanceof PublishError)
    return refusal('conflict', error.message, [], error);
  if (error instanceof ModelRefused)
    return refusal('invalid_request', error.message, error.problems.map(fieldOf), error);
  if (error instanceof PublishError) return refusal('conflict', error.message, [], error);
  // For an address that cannot be used, or a secret that cannot be read.
  if (error instanceof EngineFailure) return refusal('conflict', error.message, [], error);
  return error;
}

function refusal(
  code: 'invalid_request' | 'not_found' | 'conflict',
  message: string,
  errors: readonly FieldError[],
  cause: unknown,
): StudioError {
  return new StudioError(code, message, {
    ...(errors.length > 0 && { errors: errors.slice(0, maxErrors) }),
    cause,
  });
}

/** Returns a problem of a manifest with its place: a line of the text, or an input of the workflow. */
function fieldOf({ message, line, node, input }: Problem): FieldError {
  const place = node === undefined ? '' : `, node ${node}${input === undefined ? '' : `, ${input}`}`;
  return { field: line === undefined ? `source${place}` : `source, line ${line}`, message };
}

/** Turns a sentence into the clause that follows a field's name. */
function clauseOf(message: string): string {
  return message.replace(/\.$/, '');
}
