import { type Engine, EngineError, type ImageRequest } from './engine.ts';
import type { EngineProcesses } from './engine-processes.ts';
import {
  expectOf,
  type FullCheck,
  isMedia,
  notThere,
  type Step,
  StepFailed,
  type StepName,
  walkSteps,
} from './full-check.ts';
import type { EngineReport } from './report.ts';

/**
 * Returns a full check of an engine that draws in the worker's own processes; the check opens such processes itself.
 * `model`: a model of the engine that draws a picture. Engines behind an address and commands have `check-by-jobs.ts`.
 */
export function checkEngine(open: () => Promise<EngineProcesses>, model: string): FullCheck {
  return async function* check(_tools, signal) {
    await using processes = await open();
    yield* walkSteps(stepsOf(processes.engine, model), signal);
  };
}

function stepsOf(engine: Engine, model: string): Readonly<Record<StepName, Step>> {
  const reports: EngineReport[] = [];
  const request: ImageRequest = {
    kind: 'image',
    engineModel: model,
    prompt: 'a grey square',
    width: 64,
    height: 64,
    seed: 1,
    parameters: {},
    references: [],
    outputs: 1,
  };
  const noServer = missing('workers draw it themselves, and no server is asked.');
  return {
    reach: missing('workers draw it themselves; the steps run in a process of the same kind.'),
    version: missing('it is part of this release.'),
    'submit with own id': noServer,
    progress: (signal) => tellProgress(engine, request, { signal, reports }),
    upload: noServer,
    render: (signal) => draw(engine, request, { signal, reports }),
    'fetch with a range': noServer,
    'invalid graph': (signal) => drawNothing(engine, request, signal),
    'queue delete': noServer,
    'interrupt by id': (signal) => interrupt(engine, request, signal),
    'cached run': missing('each picture is drawn anew.'),
    restart: missing('what a process that died was drawing is drawn anew.'),
  };
}

interface Watched {
  readonly signal: AbortSignal;
  readonly reports: EngineReport[];
}

async function draw(engine: Engine, request: ImageRequest, { signal, reports }: Watched): Promise<string> {
  const [file] = await Array.fromAsync(engine.render(request, signal, (report) => reports.push(report)));
  if (file === undefined || !('bytes' in file)) throw new StepFailed('It ended without its picture.');
  expectOf(isMedia(file.bytes), 'The result is no picture.');
  return `A picture of ${file.width} by ${file.height} pixels was drawn.`;
}

async function tellProgress(engine: Engine, request: ImageRequest, watched: Watched): Promise<string> {
  await draw(engine, request, watched);
  const { length } = watched.reports.filter(({ type }) => type === 'progress');
  if (length === 0) throw notThere('so small a picture is drawn before anything could be said.');
  return `It said ${length} times how far it was.`;
}

async function drawNothing(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<string> {
  try {
    await Array.fromAsync(engine.render({ ...request, engineModel: 'no-such-model' }, signal));
  } catch (error) {
    if (error instanceof EngineError && error.code === 'unknown_model') return error.message;
    throw error;
  }
  throw new StepFailed('It drew with a model that it does not have.');
}

async function interrupt(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<string> {
  const stop = new AbortController();
  const reason = new Error('It is ended by the check.');
  const both = AbortSignal.any([signal, stop.signal]);
  const large = { ...request, width: 1024, height: 1024, outputs: 4 };
  const drawn = Array.fromAsync(engine.render(large, both, () => stop.abort(reason)));
  try {
    await drawn;
  } catch (error) {
    if (error === reason) return 'A picture under way was ended.';
    throw error;
  }
  throw new StepFailed(stop.signal.aborted ? 'It drew on after it was told to stop.' : 'It told of nothing.');
}

function missing(reason: string): Step {
  return () => Promise.reject(notThere(reason));
}
