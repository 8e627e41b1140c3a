import { isObject, isSuccess, parseJson } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { valuesAt } from '@renderkit/engine-kit/json-pointer.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';

/** What of a body is one of a list that the server tells, and by which names it takes each. */
const lists = [
  { pointer: '/sampler_name', path: '/sdapi/v1/samplers', keys: ['name', 'aliases'], code: 'choice_unknown' },
  {
    pointer: '/scheduler',
    path: '/sdapi/v1/schedulers',
    keys: ['name', 'label', 'aliases'],
    code: 'choice_unknown',
  },
  {
    pointer: '/override_settings/sd_model_checkpoint',
    path: '/sdapi/v1/sd-models',
    keys: ['title', 'model_name', 'filename', 'hash'],
    code: 'file_missing',
  },
] as const;

/**
 * Samplers, schedulers and checkpoints that a route names and this server does not have. A list that it does not tell is
 * taken as good. @throws EngineFailure where it cannot be asked
 */
export async function checkA1111Route(
  http: BackendHttp,
  route: Route,
  signal: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { pointer, path, keys, code } of lists) {
    const wanted = namedBy(route, pointer);
    if (wanted.length === 0) continue;
    const answer = await http.send({ to: path, signal });
    const json = isSuccess(answer) ? parseJson(answer) : undefined;
    if (!Array.isArray(json)) continue;
    const items = (json as JsonValue[]).filter(isObject);
    const known = new Set(items.flatMap((one) => keys.flatMap((key) => one[key] ?? [])).map(spelt));
    for (const name of wanted) {
      if (known.has(spelt(name))) continue;
      const has = items.map((one) => JSON.stringify(one[keys[0]])).join(', ');
      problems.push({
        code,
        message: `${http.backend} has no ${JSON.stringify(name)} for ${pointer}. It has ${has}.`,
      });
    }
  }
  return problems;
}

/** Servers take `Euler a`, `euler_a` and an alias alike. */
function spelt(name: JsonValue): string {
  return JSON.stringify(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9+]/g, '');
}

/** Every value that a target can be given. */
function namedBy({ body, set }: Route, pointer: string): JsonValue[] {
  const binding = set[pointer];
  if (binding === undefined) return valuesAt(body, pointer);
  const fixed = binding.value === undefined ? [] : [binding.value];
  return [...fixed, ...Object.values(binding.map ?? {})];
}
