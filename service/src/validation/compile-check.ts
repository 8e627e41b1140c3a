import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Format } from 'typebox/format';
import type { FieldError } from '../problems/api-problem.ts';
import { fieldErrorsOf } from './field-errors.ts';

/** Adds all errors in `data` to `errors`. */
export type Check = (data: unknown, errors: FieldError[]) => void;

// Reads addresses as the code that opens them does (WHATWG URL). That code decides whether an address may be opened.
const isUri = (text: string) => URL.canParse(text);
// A time with an offset and with a valid date, in the years that the database accepts too.
const dateTime = /^(?!0000)\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
const isDateTime = (text: string) => dateTime.test(text) && !Number.isNaN(Date.parse(text));

Format.Set('uri', isUri);
Format.Set('date-time', isDateTime);

// Used only for the messages of a refusal (decision 0032). It reports all issues at once; there are at most as many as
// values in a body. Each issue includes its schema, which lists the valid names when a name is unknown.
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
 * Makes the check of a schema of the contract. The first use compiles it: compiling all schemas would make the start
 * much longer. `what` is what messages call its properties.
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
