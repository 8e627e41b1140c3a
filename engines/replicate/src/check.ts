import { isObject, readObject } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { checkFields } from '@renderkit/engine-kit/check-fields.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { JsonObject, Route } from '@renderkit/engine-kit/route.ts';
import { endpointOf } from './endpoint.ts';

/**
 * What keeps a route from running at Replicate, by the schema of its model. Of a deployment and of a bare version nobody tells
 * the schema: they are taken as they are. @throws EngineFailure where Replicate cannot be asked
 */
export async function checkReplicateRoute(
  http: BackendHttp,
  route: Route,
  signal: AbortSignal,
): Promise<Problem[]> {
  const { endpoint } = route;
  if (endpoint === undefined) {
    return [{ code: 'field_unknown', message: `Route ${route.name} does not say which model it calls.` }];
  }
  const { model, version } = endpointOf(endpoint);
  if (model === null) return [];
  const to = `/models/${model}${version === null ? '' : `/versions/${encodeURIComponent(version)}`}`;
  const answer = await http.send({ to, signal });
  if (answer.status === 404) {
    return [{ code: 'field_unknown', message: `${http.backend} has no model ${endpoint}.` }];
  }
  const described = readObject(http, answer, 'asked about a model');
  const holder = version === null ? described['latest_version'] : described;
  const schemas = within(within(within(holder, 'openapi_schema'), 'components'), 'schemas');
  return checkFields(route, schemas?.['Input'], schemas);
}

function within(value: JsonObject[string] | undefined, key: string): JsonObject | undefined {
  const inner = isObject(value) ? value[key] : undefined;
  return isObject(inner) ? inner : undefined;
}
