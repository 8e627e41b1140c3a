import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import type { FieldError } from '../problems/api-problem.ts';
import { fieldErrorsOf } from './field-errors.ts';

/** Adds all that is wrong with `data` to `errors`. */
export type Check = (data: unknown, errors: FieldError[]) => void;

// All issues at once. Their number is bounded by that of the values in a body. Lengths count code points. An issue
// carries its schema, which knows what there is in place of a name that there is not.
const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  strictRequired: false,
});
// As what opens addresses reads them (WHATWG URL); whether one may be opened is judged there.
ajv.addFormat('uri', (text: string) => URL.canParse(text));
// A time with its offset that a calendar has, of the years that the database has too.
const dateTime = /^(?!0000)\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
ajv.addFormat('date-time', (text: string) => dateTime.test(text) && !Number.isNaN(Date.parse(text)));

/**
 * Makes the check of a schema of the contract. It is compiled when it is first used: all of them together would take a
 * tenth of the start. `what` is what its properties are called in messages.
 */
export function compileCheck(schema: TSchema, what: 'field' | 'parameter'): Check {
  let validate: ValidateFunction | undefined;
  return (data, errors) => {
    validate ??= ajv.compile(schema);
    if (!validate(data)) errors.push(...fieldErrorsOf(validate.errors ?? [], data, what));
  };
}
