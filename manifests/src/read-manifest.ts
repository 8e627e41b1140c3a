import { eachSetting } from '@renderkit/contract/studio/kinds.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { EngineName, Route } from '@renderkit/engine-kit/route.ts';
import { nearestNames, shownName } from '@renderkit/server-kit/nearest-names.ts';
import { checkShape } from './check-shape.ts';
import type { Manifest } from './manifest.ts';
import { ManifestFile } from './manifest-schema.ts';
import { readYaml, type YamlEntry, type YamlMap, type YamlNode } from './read-yaml.ts';

export interface ReadManifest {
  readonly manifest: Manifest;
  /**
   * Returns the 1-based line of the value at a path, such as `['routes', 0, 'set', 'positive.text']`, or of the nearest
   * value around it.
   */
  readonly lineOf: LineOf;
  readonly problems?: undefined;
}
export type LineOf = (path: readonly (string | number)[]) => number;

/**
 * Reads a manifest (YAML 1.2 or JSON). Every key must be known, and every value must have its type and be within its
 * range. Resolves `like` and fills in neutral values for missing keys. `check-manifest.ts` checks the manifest as a
 * whole.
 */
export function readManifest(
  text: string,
):
  | ReadManifest
  | { readonly manifest?: undefined; readonly lineOf?: undefined; readonly problems: readonly Problem[] } {
  const read = readYaml(text);
  if (read.problems !== undefined) return { problems: read.problems };
  const { root, problems: unresolved } = resolveLikes(read.root);
  const { value, problems: misshapen } = checkShape(root, ManifestFile, 'A manifest');
  const problems = [...unresolved, ...misshapen];
  if (problems.length > 0) return { problems: problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
  const lineOf: LineOf = (path) => lineIn(root, path);
  // The shape has just been checked.
  const file = value as unknown as ManifestFile;
  const misplaced = file.routes.flatMap((route, at) => keysOfOtherEngines(route, at, lineOf));
  return misplaced.length > 0 ? { problems: misplaced } : { manifest: complete(file), lineOf };
}

/** Returns the names of the files next to a manifest that it needs: its workflows, each once. */
export function filesOf(manifest: Manifest): string[] {
  return [...new Set(manifest.routes.flatMap(({ workflow }) => workflow ?? []))];
}

const merged = ['set', 'body'];

/** Resolves `like`: such a route starts as a copy of an earlier one, and `set` and `body` are merged key by key. */
function resolveLikes(root: YamlNode): { root: YamlNode; problems: Problem[] } {
  const problems: Problem[] = [];
  const routes = root.type === 'map' ? root.entries.get('routes') : undefined;
  if (root.type !== 'map' || routes?.node.type !== 'list') return { root, problems };
  const known = new Map<string, YamlMap>();
  const items = routes.node.items.map((item) => {
    if (item.type !== 'map') return item;
    const resolved = resolveLike(item, known, problems);
    const name = resolved.entries.get('name')?.node;
    if (name?.type === 'scalar') known.set(String(name.value), resolved);
    return resolved;
  });
  const entry: YamlEntry = { line: routes.line, node: { ...routes.node, items } };
  return { root: { ...root, entries: new Map([...root.entries, ['routes', entry]]) }, problems };
}

function resolveLike(route: YamlMap, known: ReadonlyMap<string, YamlMap>, problems: Problem[]): YamlMap {
  const like = route.entries.get('like');
  if (like?.node.type !== 'scalar') return route;
  const name = String(like.node.value);
  const model = known.get(name);
  if (model === undefined) {
    const candidates = [...known.keys()].map((label) => ({ label, texts: [label] }));
    const [near] = nearestNames(name, candidates, 1);
    const advice = near === undefined ? '' : `; did you mean ${near}`;
    const message = `There is no earlier route ${shownName(name)} that this one could be like${advice}.`;
    problems.push({ code: 'choice_unknown', message, line: like.line });
    return route;
  }
  const { entries } = model;
  const own = Array.from(route.entries, ([key, entry]): [string, YamlEntry] => {
    const copied = entries.get(key)?.node;
    if (!merged.includes(key) || entry.node.type !== 'map' || copied?.type !== 'map') return [key, entry];
    return [
      key,
      {
        line: entry.line,
        node: { ...entry.node, entries: new Map([...copied.entries, ...entry.node.entries]) },
      },
    ];
  });
  return { ...route, entries: new Map([...entries, ...own]) };
}

/** Returns the line of the deepest existing value on the path. */
function lineIn(root: YamlNode, path: readonly (string | number)[]): number {
  let node = root;
  let line = root.line;
  for (const step of path) {
    if (node.type === 'map') {
      const entry = node.entries.get(String(step));
      if (entry === undefined) break;
      ({ line, node } = entry);
    } else if (node.type === 'list') {
      const item = node.items[Number(step)];
      if (item === undefined) break;
      ({ line } = item);
      node = item;
    } else break;
  }
  return line;
}

/** Keys that only some engines have: for each engine the keys that it may have, and those that it must have. */
const engineKeys: Record<EngineName, { may: readonly RouteKey[]; must: readonly RouteKey[] }> = {
  comfyui: { may: ['workflow', 'nodes', 'requires'], must: ['workflow', 'nodes'] },
  'openai-images': { may: ['call', 'body'], must: ['call'] },
  'openai-videos': { may: ['body'], must: [] },
  a1111: { may: ['call', 'body'], must: ['call'] },
  fal: { may: ['endpoint', 'body'], must: ['endpoint'] },
  replicate: { may: ['endpoint', 'body'], must: ['endpoint'] },
  command: { may: ['run', 'env', 'progress'], must: ['run'] },
  procedural: { may: ['model', 'delay_option'], must: ['model'] },
  sandbox: { may: ['model', 'delay_option'], must: ['model'] },
};
type RouteKey = keyof ManifestFile['routes'][number];
const keysOfEngines = new Set(Object.values(engineKeys).flatMap(({ may }) => may));

function keysOfOtherEngines(route: ManifestFile['routes'][number], at: number, lineOf: LineOf): Problem[] {
  const { may, must } = engineKeys[route.engine];
  const wrong = (Object.keys(route) as RouteKey[]).filter(
    (key) => keysOfEngines.has(key) && !may.includes(key),
  );
  const absent = must.filter((key) => route[key] === undefined);
  const place = `Route ${shownName(route.name)}`;
  return [
    ...wrong.map((key): Problem => ({
      code: 'unknown_key',
      message: `${place}: the engine ${route.engine} has no "${key}".`,
      line: lineOf(['routes', at, key]),
    })),
    ...absent.map((key): Problem => ({
      code: 'input_missing',
      message: `${place}: the engine ${route.engine} needs "${key}".`,
      line: lineOf(['routes', at]),
    })),
  ];
}

const nothingOffered: Manifest['parameters'] = {
  aspect_ratios: [],
  same_ratio_supported: false,
  video_sizes: {},
  durations: [],
  ...eachSetting(() => null),
  sampler: null,
  max_reference_images: 0,
  frames: { start: false, start_required: false, end: false, end_required: false },
  audio: null,
  source_video: null,
  options: [],
};

function complete({ routes, parameters, thumbnail, ...file }: ManifestFile): Manifest {
  return {
    description: null,
    kind: 'system',
    default_for: [],
    nsfw: false,
    inpaint: false,
    prompt_required: true,
    tiers: [],
    thumbnail: thumbnail?.replace(/^\.\//, '') ?? null,
    refused_styles: [],
    ...file,
    parameters: { ...nothingOffered, ...parameters },
    routes: routes.map(completeRoute),
  };
}

function completeRoute({
  like: _resolved,
  workflow,
  set = {},
  ...route
}: ManifestFile['routes'][number]): Route {
  return { ...route, set, ...(workflow !== undefined && { workflow: workflow.replace(/^\.\//, '') }) };
}
