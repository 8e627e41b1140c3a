import type { EngineProgress, EngineStage } from '@renderkit/engine-kit/report.ts';
import type { Graph } from './graph.ts';
import { isArray, isObject, type Json, valueAt } from './json.ts';

/** Classes that take long. Together they count as much as all other nodes of a graph. */
const isSampler = (classType: string): boolean =>
  /sampler|upscalemodel|interpolat/i.test(classType) && !/select|loader|scheduler/i.test(classType);
const isLoader = (classType: string): boolean =>
  /loader/i.test(classType) && !/loadimage|loadvideo|loadaudio/i.test(classType);
const isEncoder = (classType: string): boolean => /^save|combine$|vaedecode|createvideo/i.test(classType);

/** Computes the progress of a job from its events. The fraction never decreases. */
export class JobProgress {
  readonly #graph: Graph;
  readonly #samplerWeight: number;
  readonly #done = new Map<string, number>();
  #stage: EngineStage = 'waiting_for_engine';
  #position: number | undefined;
  #steps: { step: number; steps: number } | undefined;
  #fraction: number | null = null;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#samplerWeight = Math.max(10, graph.size);
  }

  get current(): EngineProgress {
    return {
      type: 'progress',
      stage: this.#stage,
      fraction: this.#fraction,
      ...this.#steps,
      ...(this.#position !== undefined && { position: this.#position }),
    };
  }

  /** The job waits. `position`: number of jobs before it. */
  wait(position: number): void {
    if (this.#stage === 'waiting_for_engine') this.#position = position;
  }

  /** The job runs. A poll shows no more than this. */
  run(): void {
    if (this.#stage === 'waiting_for_engine') this.#enter('rendering');
  }

  /** The job ended well, even if no event was received. */
  end(): void {
    this.#fraction = 1;
    this.#position = undefined;
    if (this.#stage === 'waiting_for_engine') this.#enter('encoding');
  }

  /** Takes an event about this job from ComfyUI's socket. Unknown events change nothing. */
  take(type: string, data: Json | undefined): void {
    if (type === 'execution_start') this.#enter('loading_model');
    else if (type === 'execution_cached') this.#finish(valueAt(data, 'nodes'));
    else if (type === 'executing') this.#begin(valueAt(data, 'node'));
    else if (type === 'executed') this.#set(valueAt(data, 'node'), 1);
    else if (type === 'progress') this.#step(data);
    else if (type === 'progress_state') this.#takeStates(valueAt(data, 'nodes'));
    this.#measure();
  }

  #enter(stage: EngineStage): void {
    this.#stage = stage;
    this.#position = undefined;
  }

  #begin(node: Json | undefined): void {
    const classType = typeof node === 'string' ? this.#graph.get(node)?.classType : undefined;
    if (classType === undefined) return;
    this.#steps = undefined;
    this.#enter(isLoader(classType) ? 'loading_model' : isEncoder(classType) ? 'encoding' : 'rendering');
  }

  #step(data: Json | undefined): void {
    const [step, steps] = [valueAt(data, 'value'), valueAt(data, 'max')];
    if (typeof step !== 'number' || typeof steps !== 'number' || steps < 1) return;
    this.#set(valueAt(data, 'node'), step / steps);
    if (steps === 1) return;
    this.#steps = { step, steps };
    this.#enter('rendering');
  }

  #takeStates(nodes: Json | undefined): void {
    if (!isObject(nodes)) return;
    for (const [id, state] of nodes) {
      const [value, max] = [valueAt(state, 'value'), valueAt(state, 'max')];
      if (valueAt(state, 'state') === 'finished') this.#set(id, 1);
      else if (typeof value === 'number' && typeof max === 'number' && max > 0) this.#set(id, value / max);
    }
  }

  #finish(nodes: Json | undefined): void {
    if (isArray(nodes)) for (const node of nodes) this.#set(node, 1);
  }

  #set(node: Json | undefined, share: number): void {
    if (typeof node !== 'string' || !this.#graph.has(node)) return;
    this.#done.set(node, Math.max(this.#done.get(node) ?? 0, Math.min(1, share)));
  }

  #measure(): void {
    let whole = 0;
    let done = 0;
    for (const { id, classType } of this.#graph.values()) {
      const weight = isSampler(classType) ? this.#samplerWeight : 1;
      whole += weight;
      done += weight * (this.#done.get(id) ?? 0);
    }
    this.#fraction = Math.max(this.#fraction ?? 0, Math.round((1000 * done) / whole) / 1000);
  }
}
