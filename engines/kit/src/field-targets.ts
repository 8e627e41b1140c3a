import { isObject } from './backend-answer.ts';
import { fieldSchema, type Schemas } from './check-fields.ts';
import { pointerSteps } from './json-pointer.ts';
import type { JsonObject, JsonValue, Route } from './route.ts';
import type { TargetSpec, TargetSpecs } from './target-spec.ts';

/**
 * Returns what the fields that a route sets accept by the JSON schema of the call's body: the minimum and the maximum
 * of numbers, and the choices. Anything else in the schema is ignored. `schemas` are those that `$ref` names.
 * `manifests/src/check-machine.ts` compares the result with what requests may set; `check-fields.ts` checks fixed
 * values.
 */
export function fieldTargets(route: Route, input: JsonValue | undefined, schemas: Schemas): TargetSpecs {
  return new Map(
    Object.keys(route.set).flatMap((target): [string, TargetSpec][] => {
      let schema = input;
      for (const step of pointerSteps(target)) {
        const properties = isObject(schema) ? schema['properties'] : undefined;
        schema = isObject(properties) ? fieldSchema(properties[step], schemas) : undefined;
      }
      return isObject(schema) ? [[target, specOf(schema)]] : [];
    }),
  );
}

function specOf(schema: JsonObject): TargetSpec {
  const choices = schema['enum'];
  if (Array.isArray(choices)) return { type: 'other', choices: choices as readonly JsonValue[] };
  const { type, minimum, maximum } = schema;
  if (type !== 'integer' && type !== 'number') return { type: 'other' };
  return {
    type: 'float',
    ...(typeof minimum === 'number' && { min: minimum }),
    ...(typeof maximum === 'number' && { max: maximum }),
  };
}
