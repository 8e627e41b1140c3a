import {
  type Engine,
  EngineError,
  type EngineRequest,
  type RenderedFile,
} from '@renderkit/engine-kit/engine.ts';
import type { Report } from '@renderkit/engine-kit/report.ts';

export const SANDBOX_MODELS = ['sandbox-fail', 'sandbox-partial', 'sandbox-slow'] as const;

const PAINTER_MODEL = 'atelier';

/**
 * Creates an engine that fails on purpose, so that a client's developer can see every outcome of a generation.
 * `sandbox-fail` fails at once; `sandbox-partial` leaves out the last of its outputs. The pictures come from `painter`.
 * `sandbox-slow` does not wait here: `delaySecondsOf` in `studio/src/catalog/snapshot.ts` decides how long its renders
 * wait in the queue (`delay_option` of its route), so that none of them blocks a slot.
 */
export function createSandboxEngine(painter: Engine): Engine {
  return {
    id: 'sandbox',
    kinds: ['image'],
    models: SANDBOX_MODELS,
    render: (request, signal, report) => render(request, { signal, report }, painter),
  };
}

async function* render(
  request: EngineRequest,
  { signal, report }: { signal: AbortSignal; report: Report | undefined },
  painter: Engine,
): AsyncGenerator<RenderedFile> {
  signal.throwIfAborted();
  if (request.kind !== 'image')
    throw new EngineError('unknown_model', `The sandbox engine makes no ${request.kind}.`);
  const { engineModel, outputs } = request;
  const drawn = { ...request, engineModel: PAINTER_MODEL };
  switch (engineModel) {
    case 'sandbox-fail':
      throw new EngineError('render_impossible', 'This model fails on purpose.');
    case 'sandbox-partial':
      // A single output cannot be left out, because then nothing would remain.
      yield* painter.render({ ...drawn, outputs: Math.max(1, outputs - 1) }, signal, report);
      return;
    case 'sandbox-slow':
      yield* painter.render(drawn, signal, report);
      return;
    default:
      throw new EngineError('unknown_model', `The sandbox engine has no model "${engineModel}".`);
  }
}
