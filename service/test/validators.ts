import ajvFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/**
 * What answers are held against their schemas by; it names all that is wrong with one. A document that has more than
 * schemas in it cannot be read strictly: what is no keyword of a schema is a fault of ours then.
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
