import { isObject, isSuccess, parseJson } from '@renderkit/engine-kit/backend-answer.ts';
import type { BackendHttp } from '@renderkit/engine-kit/backend-http.ts';
import { valuesAt } from '@renderkit/engine-kit/json-pointer.ts';
import { oncePerCheck } from '@renderkit/engine-kit/once-per-check.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { JsonObject, JsonValue, Route } from '@renderkit/engine-kit/route.ts';
import type { TargetSpec, TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';

type List = {
  pointer: string;
  path: string;
  keys: readonly string[];
  code: 'choice_unknown' | 'file_missing';
  /** Names of this list may follow, after a space. */
  followedBy?: List;
};

const schedulers = {
  pointer: '/scheduler',
  path: '/sdapi/v1/schedulers',
  keys: ['name', 'label', 'aliases'],
  code: 'choice_unknown',
} as const;

/** What of a body is one of a list that the server tells, and by which names it takes each. */
const lists: readonly List[] = [
  {
    pointer: '/sampler_name',
    path: '/sdapi/v1/samplers',
    keys: ['name', 'aliases'],
    code: 'choice_unknown',
    // Since 1.9 schedulers have a list of their own, and `DPM++ 2M Karras` is taken as before.
    followedBy: schedulers,
  },
  schedulers,
  {
    pointer: '/override_settings/sd_model_checkpoint',
    path: '/sdapi/v1/sd-models',
    keys: ['title', 'model_name', 'filename', 'hash'],
    code: 'file_missing',
  },
];

/** Tells one of the server's lists, by its path; undefined where it does not tell it. @throws EngineFailure where it cannot be asked */
export type ReadList = (path: string, signal: AbortSignal) => Promise<JsonObject[] | undefined>;

/** Reads each list once per check. */
export function createReadList(http: BackendHttp): ReadList {
  return oncePerCheck(async (path, signal) => {
    const answer = await http.send({ to: path, signal });
    const json = isSuccess(answer) ? parseJson(answer) : undefined;
    return Array.isArray(json) ? (json as JsonValue[]).filter(isObject) : undefined;
  });
}

/**
 * Samplers, schedulers and checkpoints that a route names and this server does not have. A list that it does not tell is
 * taken as good. @throws EngineFailure where it cannot be asked
 */
export async function checkA1111Route(
  { backend, read }: { backend: string; read: ReadList },
  route: Route,
  signal: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const list of lists) {
    const { pointer, code } = list;
    const wanted = namedBy(route, pointer);
    const known = wanted.length === 0 ? undefined : await readNames(read, list, signal);
    if (known === undefined) continue;
    for (const name of wanted.filter((one) => !known.has(one)))
      problems.push({
        code,
        message: `${backend} has no ${JSON.stringify(name)} for ${pointer}. It has ${known.names.map((one) => JSON.stringify(one)).join(', ')}.`,
      });
  }
  return problems;
}

/**
 * What the targets take that a route sets from requests as they are; those with values of the manifest's own are checked by
 * `checkA1111Route`. @throws EngineFailure where it cannot be asked
 */
export async function a1111Targets(
  read: ReadList,
  { set }: Route,
  signal: AbortSignal,
): Promise<TargetSpecs> {
  const specs = new Map<string, TargetSpec>();
  for (const list of lists) {
    const binding = set[list.pointer];
    if (binding?.from === undefined || binding.map !== undefined) continue;
    const known = await readNames(read, list, signal);
    if (known === undefined) continue;
    const { names, has } = known;
    specs.set(
      list.pointer,
      list.code === 'file_missing'
        ? { type: 'other', files: { folder: undefined, has } }
        : { type: 'other', choices: names, isChoice: has },
    );
  }
  return specs;
}

type Names = {
  names: JsonValue[];
  spellings: ReadonlySet<string>;
  has: (name: JsonValue) => boolean;
};

/** A list of the server, and whether it has a name, in any spelling that it takes. Undefined where it does not tell. */
async function readNames(
  read: ReadList,
  { path, keys, followedBy }: List,
  signal: AbortSignal,
): Promise<Names | undefined> {
  const items = await read(path, signal);
  if (items === undefined) return undefined;
  const spellings = new Set(items.flatMap((one) => keys.flatMap((key) => one[key] ?? [])).map(spelt));
  const further = followedBy && (await readNames(read, followedBy, signal));
  const ends = [...(further?.spellings ?? [])];
  return {
    names: items.flatMap((one) => one[keys[0] ?? ''] ?? []),
    spellings,
    has: (name) => {
      const wanted = spelt(name);
      return (
        spellings.has(wanted) ||
        ends.some((end) => wanted.endsWith(end) && spellings.has(wanted.slice(0, -end.length)))
      );
    },
  };
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
