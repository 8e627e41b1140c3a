import { isObject, readObject } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { checkFields } from '@renderkit/engine-kit/check-fields.ts';
import { fieldTargets } from '@renderkit/engine-kit/field-targets.ts';
import { oncePerCheck } from '@renderkit/engine-kit/once-per-check.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { JsonObject, Route } from '@renderkit/engine-kit/route.ts';
import type { TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';
import { endpointOf } from './endpoint.ts';

/**
 * Returns the schemas of an endpoint; `undefined` where they are not published, `missing` where there is no such model.
 * @throws EngineFailure where Replicate cannot be asked
 */
export type ReadSchemas = (
  endpoint: string,
  signal: AbortSignal,
) => Promise<JsonObject | 'missing' | undefined>;

/** Creates a reader that reads the schemas of each endpoint once per check. */
export function createReadSchemas(http: BackendHttp): ReadSchemas {
  return oncePerCheck((endpoint, signal) => readSchemas(http, endpoint, signal));
}

/**
 * Returns the problems that keep a route from running at Replicate, by the schema of its model. Accepts deployments and
 * bare versions, because their schemas are not published. @throws EngineFailure where Replicate cannot be asked
 */
export async function checkReplicateRoute(
  { backend, read }: { backend: string; read: ReadSchemas },
  route: Route,
  signal: AbortSignal,
): Promise<Problem[]> {
  const { endpoint } = route;
  if (endpoint === undefined) {
    return [{ code: 'field_unknown', message: `Route ${route.name} does not say which model it calls.` }];
  }
  const found = await read(endpoint, signal);
  if (found === 'missing') {
    return [{ code: 'field_unknown', message: `${backend} has no model ${endpoint}.` }];
  }
  return checkFields(route, found?.['Input'], found);
}

/**
 * Returns what the fields that a route sets accept, by the same schema. @throws EngineFailure where Replicate cannot be
 * asked
 */
export async function replicateTargets(
  read: ReadSchemas,
  { endpoint, ...route }: Route,
  signal: AbortSignal,
): Promise<TargetSpecs> {
  const found = endpoint === undefined ? undefined : await read(endpoint, signal);
  return found === undefined || found === 'missing' ? new Map() : fieldTargets(route, found['Input'], found);
}

async function readSchemas(
  http: BackendHttp,
  endpoint: string,
  signal: AbortSignal,
): Promise<JsonObject | 'missing' | undefined> {
  const { model, version } = endpointOf(endpoint);
  if (model === null) return undefined;
  const to = `/models/${model}${version === null ? '' : `/versions/${encodeURIComponent(version)}`}`;
  const answer = await http.send({ to, signal });
  if (answer.status === 404) return 'missing';
  const described = readObject(http, answer, 'asked about a model');
  const holder = version === null ? described['latest_version'] : described;
  return within(within(within(holder, 'openapi_schema'), 'components'), 'schemas');
}

function within(value: JsonObject[string] | undefined, key: string): JsonObject | undefined {
  const inner = isObject(value) ? value[key] : undefined;
  return isObject(inner) ? inner : undefined;
}
