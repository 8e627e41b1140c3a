import { isObject, isSuccess, parseJson } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { checkFields, type Schemas } from '@renderkit/engine-kit/check-fields.ts';
import { fieldTargets } from '@renderkit/engine-kit/field-targets.ts';
import { oncePerCheck } from '@renderkit/engine-kit/once-per-check.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';
import type { TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';

/** The schema that fal publishes for a route's endpoint. */
type EndpointSchema = { input: JsonValue | undefined; schemas: Schemas };

/**
 * Returns the schema of an endpoint; `undefined` where there is no such endpoint. @throws EngineFailure where fal
 * cannot be asked
 */
export type ReadSchema = (endpoint: string, signal: AbortSignal) => Promise<EndpointSchema | undefined>;

/** Creates a reader that reads the schema of each endpoint once per check. */
export function createReadSchema(http: BackendHttp): ReadSchema {
  return oncePerCheck((endpoint, signal) => readSchema(http, endpoint, signal));
}

/**
 * Returns the problems that keep a route from running at fal, by the schema that fal publishes for its endpoint.
 * Accepts an endpoint that has no schema. @throws EngineFailure where fal cannot be asked
 */
export async function checkFalRoute(
  { backend, read }: { backend: string; read: ReadSchema },
  route: Route,
  signal: AbortSignal,
): Promise<Problem[]> {
  const { endpoint } = route;
  if (endpoint === undefined) {
    return [{ code: 'field_unknown', message: `Route ${route.name} does not say which endpoint it calls.` }];
  }
  const found = await read(endpoint, signal);
  if (found === undefined) {
    return [{ code: 'field_unknown', message: `${backend} has no endpoint ${endpoint}.` }];
  }
  return checkFields(route, found.input, found.schemas);
}

/**
 * Returns what the fields that a route sets accept, by the same schema. @throws EngineFailure where fal cannot be asked
 */
export async function falTargets(read: ReadSchema, route: Route, signal: AbortSignal): Promise<TargetSpecs> {
  const found = route.endpoint === undefined ? undefined : await read(route.endpoint, signal);
  return found === undefined ? new Map() : fieldTargets(route, found.input, found.schemas);
}

async function readSchema(
  http: BackendHttp,
  endpoint: string,
  signal: AbortSignal,
): Promise<EndpointSchema | undefined> {
  const query = new URLSearchParams({ endpoint_id: endpoint });
  const answer = await http.send({ to: `/api/openapi/queue/openapi.json?${query.toString()}`, signal });
  if (answer.status === 404) return undefined;
  const json = isSuccess(answer) ? parseJson(answer) : undefined;
  return { input: inputOf(json, endpoint), schemas: schemasOf(json) };
}

function schemasOf(json: JsonValue | undefined): Record<string, JsonValue | undefined> {
  const components = isObject(json) ? json['components'] : undefined;
  const schemas = isObject(components) ? components['schemas'] : undefined;
  return isObject(schemas) ? schemas : {};
}

/** Returns the schema of the body that is posted to the endpoint, with its reference resolved. */
function inputOf(json: JsonValue | undefined, endpoint: string): JsonValue | undefined {
  let node: JsonValue | undefined = json;
  for (const step of [
    'paths',
    `/${endpoint}`,
    'post',
    'requestBody',
    'content',
    'application/json',
    'schema',
  ]) {
    node = isObject(node) ? node[step] : undefined;
  }
  const reference = isObject(node) ? node['$ref'] : undefined;
  return typeof reference === 'string' ? schemasOf(json)[reference.split('/').at(-1) ?? ''] : node;
}
