import { isObject, isSuccess, parseJson } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { checkFields } from '@renderkit/engine-kit/check-fields.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';

/**
 * What keeps a route from running at fal, by the schema that fal publishes for its endpoint. An endpoint without one is taken
 * as it is. @throws EngineFailure where fal cannot be asked
 */
export async function checkFalRoute(
  http: BackendHttp,
  route: Route,
  signal: AbortSignal,
): Promise<Problem[]> {
  const { endpoint } = route;
  if (endpoint === undefined) {
    return [{ code: 'field_unknown', message: `Route ${route.name} does not say which endpoint it calls.` }];
  }
  const query = new URLSearchParams({ endpoint_id: endpoint });
  const answer = await http.send({ to: `/api/openapi/queue/openapi.json?${query.toString()}`, signal });
  if (answer.status === 404) {
    return [{ code: 'field_unknown', message: `${http.backend} has no endpoint ${endpoint}.` }];
  }
  const json = isSuccess(answer) ? parseJson(answer) : undefined;
  return checkFields(route, inputOf(json, endpoint), schemasOf(json));
}

function schemasOf(json: JsonValue | undefined): Record<string, JsonValue | undefined> {
  const components = isObject(json) ? json['components'] : undefined;
  const schemas = isObject(components) ? components['schemas'] : undefined;
  return isObject(schemas) ? schemas : {};
}

/** The schema of what is posted to the endpoint, behind its reference. */
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
