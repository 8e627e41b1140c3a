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
  /** Names of this list may follow a name, after a space. */
  followedBy?: List;
};

const schedulers = {
  pointer: '/scheduler',
  path: '/sdapi/v1/schedulers',
  keys: ['name', 'label', 'aliases'],
  code: 'choice_unknown',
} as const;

/** The fields of a body whose values come from a list of the server, and the keys of the accepted names. */
const lists: readonly List[] = [
  {
    pointer: '/sampler_name',
    path: '/sdapi/v1/samplers',
    keys: ['name', 'aliases'],
    code: 'choice_unknown',
    // Since 1.9, schedulers have a separate list; `DPM++ 2M Karras` is still accepted.
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

/**
 * Returns one of the server's lists, by its path; `undefined` where the server does not have it. @throws EngineFailure
 * where the server cannot be asked
 */
export type ReadList = (path: string, signal: AbortSignal) => Promise<JsonObject[] | undefined>;

/** Creates a reader that reads each list once per check. */
export function createReadList(http: BackendHttp): ReadList {
  return oncePerCheck(async (path, signal) => {
    const answer = await http.send({ to: path, signal });
    const json = isSuccess(answer) ? parseJson(answer) : undefined;
    return Array.isArray(json) ? (json as JsonValue[]).filter(isObject) : undefined;
  });
}

/**
 * Returns the samplers, schedulers and checkpoints that a route names but this server does not have. Skips a list that
 * the server does not provide. @throws EngineFailure where the server cannot be asked
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
 * Returns what the targets accept that a route sets directly from requests. `checkA1111Route` checks targets whose
 * values are in the manifest. @throws EngineFailure where the server cannot be asked
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

/**
 * Returns a list of the server, with a function that accepts every valid spelling of a name; `undefined` where the
 * server does not provide the list.
 */
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

/** Normalises a name: servers accept `Euler a`, `euler_a` and an alias alike. */
function spelt(name: JsonValue): string {
  return JSON.stringify(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9+]/g, '');
}

/** Returns every value that the manifest can give to a target. */
function namedBy({ body, set }: Route, pointer: string): JsonValue[] {
  const binding = set[pointer];
  if (binding === undefined) return valuesAt(body, pointer);
  const fixed = binding.value === undefined ? [] : [binding.value];
  return [...fixed, ...Object.values(binding.map ?? {})];
}
