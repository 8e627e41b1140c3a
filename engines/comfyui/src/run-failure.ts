import { EngineFailure, type EngineFailureOptions, type RouteFiles } from '@renderkit/engine-kit/driver.ts';
import { boundInputs } from './assemble-graph.ts';
import { isArray, type Json, type JsonObject, textAt, valueAt } from './json.ts';

/** Words in an error that show what to blame, tried in this order. If none matches, the render is blamed. */
const meanings: readonly (readonly [shape: RegExp, meaning: Pick<EngineFailureOptions, 'blame' | 'code'>])[] =
  [
    [
      /out ?of ?memory|allocation on device|can't allocate|not enough memory/i,
      { blame: 'pair', code: 'out_of_memory' },
    ],
    // The graphics card or its driver fails: no job succeeds until ComfyUI is restarted.
    [
      /cuda error|cudnn|cublas|hip error|nvml|device-side assert|illegal memory access|device lost|no space left/i,
      { blame: 'backend', code: 'render_failed' },
    ],
    // A model or a node pack on this machine is broken, or has another version than the graph needs.
    [
      /ModuleNotFoundError|ImportError|SafetensorError|FileNotFoundError|UnpicklingError|size mismatch|state_dict|HeaderTooLarge|unexpected keyword argument|NotImplementedError|has no attribute/i,
      { blame: 'pair', code: 'render_failed' },
    ],
  ];

/** Returns whether a job ended well, by its entry in the history. */
export function endedWell(entry: JsonObject): boolean {
  const status = valueAt(entry, 'status');
  // Servers of 2023 store no status: they only have entries for jobs that ended.
  return status === undefined || status === null || textAt(status, 'status_str') === 'success';
}

/** Converts the failure of a run, from its entry in the history. `graph-refusal.ts` converts the refusal of a graph. */
export function runFailure(backend: string, entry: JsonObject, job: RouteFiles): EngineFailure {
  const messages = valueAt(entry, 'status', 'messages');
  const said = (event: string): Json | undefined =>
    isArray(messages) ? messages.find((one) => valueAt(one, 0) === event) : undefined;
  const error = valueAt(said('execution_error'), 1);
  if (error === undefined) {
    const word = said('execution_interrupted') === undefined ? 'ended without a result' : 'was interrupted';
    return new EngineFailure(`The job ${word} on ${backend}.`, { blame: 'backend', code: 'render_failed' });
  }
  const [type, message, nodeType, node] = ['exception_type', 'exception_message', 'node_type', 'node_id'].map(
    (key) => textAt(error, key).trim(),
  );
  const meaning = meanings.find(([shape]) => shape.test(`${type} ${message}`))?.[1] ?? {
    blame: 'render',
    code: 'render_failed',
  };
  const media = boundInputs(job).find((one) => one.node === node && one.origin === 'media');
  return new EngineFailure(`${nodeType} ${node} failed on ${backend}: ${type}: ${message}`.trim(), {
    ...meaning,
    ...(meaning.blame === 'render' && media !== undefined ? { target: media.target } : {}),
  });
}
