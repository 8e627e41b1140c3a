import { isObject } from './backend-answer.ts';
import { pointerSteps } from './json-pointer.ts';
import type { Problem } from './problem-codes.ts';
import type { JsonValue, Route } from './route.ts';

/** JSON schemas by the names that `$ref` uses. */
export type Schemas = Readonly<Record<string, JsonValue | undefined>>;

/**
 * Returns the problems of a call with the JSON schema of its body: keys that the schema does not have, and fixed values
 * that are not among its choices. `schemas` are those that `$ref` names (`#/components/schemas/NAME`). What requests
 * may set is checked by `manifests/src/check-machine.ts`, with the result of `field-targets.ts`.
 */
export function checkFields(route: Route, input: JsonValue | undefined, schemas: Schemas = {}): Problem[] {
  if (!isObject(input) || !isObject(input['properties'])) return [];
  const { properties } = input;
  if (input['additionalProperties'] === true) return [];
  const problems: Problem[] = [];
  const keys = new Set([
    ...Object.keys(route.body ?? {}),
    ...Object.keys(route.set).map((target) => pointerSteps(target)[0] ?? ''),
  ]);
  for (const key of keys) {
    if (Object.hasOwn(properties, key)) continue;
    const known = Object.keys(properties).sort().join(', ');
    problems.push({
      code: 'field_unknown',
      message: `The engine's ${route.endpoint ?? 'call'} has no field ${key}. It has ${known}.`,
    });
  }
  for (const [key, value] of Object.entries(route.body ?? {})) {
    const choices = choicesOf(properties[key], schemas);
    if (choices === undefined || choices.includes(value) || Object.hasOwn(route.set, `/${key}`)) continue;
    problems.push({
      code: 'choice_unknown',
      message: `${key} is ${JSON.stringify(value)}, and the engine takes ${choices.map((one) => JSON.stringify(one)).join(', ')}.`,
    });
  }
  return problems;
}

function choicesOf(schema: JsonValue | undefined, schemas: Schemas): readonly JsonValue[] | undefined {
  const field = fieldSchema(schema, schemas);
  return isObject(field) && Array.isArray(field['enum']) ? (field['enum'] as JsonValue[]) : undefined;
}

/** Returns the schema of a field with its reference resolved, where `$ref` is direct or the only entry of `allOf`. */
export function fieldSchema(schema: JsonValue | undefined, schemas: Schemas): JsonValue | undefined {
  if (!isObject(schema)) return undefined;
  const alternatives = schema['allOf'];
  const only = Array.isArray(alternatives) && alternatives.length === 1 ? alternatives[0] : schema;
  const reference = isObject(only) ? only['$ref'] : undefined;
  return typeof reference === 'string' ? schemas[reference.split('/').at(-1) ?? ''] : schema;
}
