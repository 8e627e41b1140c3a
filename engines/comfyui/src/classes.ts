import type { ComfyApi } from './comfy-api.ts';
import { type Graph, withInputs } from './graph.ts';
import {
  choicesOf,
  findInput,
  isFileName,
  matchChoice,
  type NodeClass,
  readObjectInfo,
} from './object-info.ts';

/** Milliseconds for which an answer is kept, because files are added and removed. */
const maxAgeMs = 60_000;

/**
 * Keeps what a backend reports about single classes, one request for each class. The whole list is half a megabyte, and
 * takes minutes with many packs.
 */
export class ClassCatalog {
  readonly #api: ComfyApi;
  readonly #known = new Map<
    string,
    { readonly at: number; readonly found: Promise<NodeClass | undefined> }
  >();

  readonly #lifetime: AbortSignal;

  /** `lifetime` ends requests that several callers wait for. */
  constructor(api: ComfyApi, lifetime: AbortSignal) {
    this.#api = api;
    this.#lifetime = lifetime;
  }

  /**
   * Returns the classes among the names that the backend has.
   *
   * @throws EngineFailure
   */
  async find(names: Iterable<string>, signal: AbortSignal): Promise<Map<string, NodeClass>> {
    const classes = new Map<string, NodeClass>();
    for (const name of new Set(names)) {
      const found = await this.#find(name);
      signal.throwIfAborted();
      if (found !== undefined) classes.set(name, found);
    }
    return classes;
  }

  /** Makes the next call ask the backend again, because its files or nodes may have changed. */
  forget(): void {
    this.#known.clear();
  }

  #find(name: string): Promise<NodeClass | undefined> {
    const known = this.#known.get(name);
    if (known !== undefined && performance.now() - known.at < maxAgeMs) return known.found;
    const found = this.#api
      .classInfo(name, this.#lifetime)
      .then((answer) => readObjectInfo(answer).get(name));
    found.catch(() => this.#known.delete(name));
    this.#known.set(name, { at: performance.now(), found });
    return found;
  }
}

/**
 * Returns the same graph with the backend's own spelling of model files: names that differ only in folder or slash mean
 * the same file. Asks only for classes of nodes that name a model file.
 */
export async function spellFiles(graph: Graph, catalog: ClassCatalog, signal: AbortSignal): Promise<Graph> {
  const naming = [...graph.values()].filter(({ inputs }) => inputs.values().some(isFileName));
  const classes = await catalog.find(
    naming.map(({ classType }) => classType),
    signal,
  );
  let spelt = graph;
  for (const { id, classType, inputs } of naming) {
    const nodeClass = classes.get(classType);
    if (nodeClass === undefined) continue;
    for (const [input, value] of inputs) {
      const spec = isFileName(value) ? findInput(nodeClass, input, inputs) : undefined;
      const choices = spec && choicesOf(spec);
      const own = choices && matchChoice(choices, value);
      if (own !== undefined && own !== value) spelt = withInputs(spelt, id, { [input]: own });
    }
  }
  return spelt;
}
