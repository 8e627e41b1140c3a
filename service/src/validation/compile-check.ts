import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Format } from 'typebox/format';
import type { FieldError } from '../problems/api-problem.ts';
import { fieldErrorsOf } from './field-errors.ts';

/** Adds all that is wrong with `data` to `errors`. */
export type Check = (data: unknown, errors: FieldError[]) => void;

// As what opens addresses reads them (WHATWG URL); whether one may be opened is decided there.
const isUri = (text: string) => URL.canParse(text);
// A time with its offset that a calendar has, of the years that the database has too.
const dateTime = /^(?!0000)\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
const isDateTime = (text: string) => dateTime.test(text) && !Number.isNaN(Date.parse(text));

Format.Set('uri', isUri);
Format.Set('date-time', isDateTime);

// Only for the words of a refusal (decision 0032). All issues at once: their number is bounded by that of the values in a
// body. An issue carries its schema, which knows what there is in place of a name that there is not.
const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  strictRequired: false,
});
ajv.addFormat('uri', isUri);
ajv.addFormat('date-time', isDateTime);

/**
 * Makes the check of a schema of the contract. It is compiled when it is first used: all of them together would take a
 * good part of the start. `what` is what its properties are called in messages.
 */
export function compileCheck(schema: TSchema, what: 'field' | 'parameter'): Check {
  let validator: Validator | undefined;
  let describe: ValidateFunction | undefined;
  return (data, errors) => {
    validator ??= Compile(schema);
    if (validator.Check(data)) return;
    describe ??= ajv.compile(schema);
    describe(data);
    const found = fieldErrorsOf(describe.errors ?? [], data, what);
    errors.push(...(found.length > 0 ? found : [{ field: 'body', message: 'is not valid' }]));
  };
}
