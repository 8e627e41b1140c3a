import ajvFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/**
 * Makes the validator for answers. It reports all errors of an answer. In strict mode, a word in a schema that is no
 * keyword is an error. A document that contains more than schemas cannot be read in strict mode.
 */
export function createAjv({ strict = true } = {}): Ajv2020 {
  const ajv = new Ajv2020({ strict, allErrors: true, allowUnionTypes: true });
  ajvFormats.default(ajv);
  return ajv;
}

const ajv = createAjv();

/** Compiled once for each schema. */
export function validatorOf(schema: object): ValidateFunction {
  return ajv.compile(schema);
}
