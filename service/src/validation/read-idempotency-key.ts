import type { IncomingMessage } from 'node:http';
import { headers } from '@renderkit/contract/v1/headers.ts';
import { maxIdempotencyKeyCharacters } from '@renderkit/contract/v1/limits.ts';
import type { FieldError } from '../problems/api-problem.ts';

const shape = new RegExp(`^[\\x20-\\x7e]{1,${maxIdempotencyKeyCharacters}}$`);
const name = 'idempotency-key';

/** The Idempotency-Key of a create (docs/api.md §4), undefined where none was sent. A bad one is added to `errors`. */
export function readIdempotencyKey(request: IncomingMessage, errors: FieldError[]): string | undefined {
  const key = request.headers[name];
  if (key === undefined) return undefined;
  if (request.headersDistinct[name]?.length !== 1)
    errors.push({ field: headers.idempotencyKey, message: 'appears more than once' });
  else if (typeof key !== 'string' || !shape.test(key))
    errors.push({
      field: headers.idempotencyKey,
      message: `must be 1 to ${maxIdempotencyKeyCharacters} characters of printable ASCII`,
    });
  else return key;
  return undefined;
}
