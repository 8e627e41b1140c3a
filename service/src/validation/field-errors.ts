import type { ErrorObject } from 'ajv';
import type { FieldError } from '../problems/api-problem.ts';

/** What ajv found, in our words: `reference_images[2]`, `must be at most 2048 characters`. */
export function fieldErrorsOf(
  errors: readonly ErrorObject[],
  data: unknown,
  what: 'field' | 'parameter',
): FieldError[] {
  const told: FieldError[] = [];
  for (const error of errors) {
    // It says only that the branch it chose had errors, which are there themselves.
    if (error.keyword === 'if') continue;
    const path = pathOf(error.instancePath, data);
    const { field, message } = tell(error, path, what);
    told.push({ field: field === '' ? 'body' : field, message });
  }
  return told;
}

function tell(error: ErrorObject, path: string, what: string): FieldError {
  const params = error.params as Record<string, string>;
  switch (error.keyword) {
    case 'required':
      return { field: join(path, params['missingProperty'] ?? ''), message: 'is required' };
    case 'additionalProperties':
      return { field: join(path, params['additionalProperty'] ?? ''), message: `is not a known ${what}` };
    default:
      return { field: path, message: messageOf(error) };
  }
}

function messageOf(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  const limit = String(params['limit']);
  switch (error.keyword) {
    case 'type':
      return `must be ${[params['type']]
        .flat()
        .map((type) => nameOfType(String(type)))
        .join(' or ')}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`;
    case 'const':
      return `must be ${String(params['allowedValue'])}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must be at least ${limit} characters`;
    case 'maxLength':
      return `must be at most ${limit} characters`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minItems':
      return `must hold at least ${limit} items`;
    case 'maxItems':
      return `must hold at most ${limit} items`;
    case 'maxProperties':
      return `must hold at most ${limit} names`;
    case 'uniqueItems':
      return 'must not hold the same item twice';
    case 'pattern':
      return 'holds characters that are not allowed';
    case 'format':
      return `must be a valid ${String(params['format'])}`;
    default:
      return error.message ?? 'is not valid';
  }
}

function nameOfType(type: string): string {
  switch (type) {
    case 'integer':
      return 'a whole number';
    case 'array':
      return 'an array';
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return `a ${type}`;
  }
}

/** A JSON pointer as a path: positions of arrays in brackets, which only the data can tell from names. */
function pathOf(pointer: string, data: unknown): string {
  let path = '';
  let value = data;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path = Array.isArray(value) ? `${path}[${name}]` : join(path, name);
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  return path;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
