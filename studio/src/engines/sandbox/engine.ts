import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, EngineError, type EngineRequest, type RenderedFile } from '../contract.ts';

export const SANDBOX_MODELS = ['sandbox-fail', 'sandbox-partial', 'sandbox-slow'] as const;

/** How long `sandbox-slow` waits where the option `seconds` does not say. */
const SECONDS = { default: 20, max: 600 };
const PAINTER_MODEL = 'atelier';

/**
 * Goes wrong on purpose, so that a client's developer can see every end of a generation: `sandbox-fail` fails at
 * once, `sandbox-partial` leaves out the last of its outputs, `sandbox-slow` takes its time first. What they do
 * draw, `painter` draws.
 */
export function createSandboxEngine(painter: Engine): Engine {
  return {
    id: 'sandbox',
    kinds: ['image'],
    models: SANDBOX_MODELS,
    render: (request, signal) => render(request, signal, painter),
  };
}

async function* render(
  request: EngineRequest,
  signal: AbortSignal,
  painter: Engine,
): AsyncGenerator<RenderedFile> {
  signal.throwIfAborted();
  if (request.kind !== 'image')
    throw new EngineError('unknown_model', `The sandbox engine makes no ${request.kind}.`);
  const { engineModel, outputs, parameters } = request;
  const drawn = { ...request, engineModel: PAINTER_MODEL };
  switch (engineModel) {
    case 'sandbox-fail':
      throw new EngineError('render_impossible', 'This model fails on purpose.');
    case 'sandbox-partial':
      // Of a single output nothing could be left out without leaving out all.
      yield* painter.render({ ...drawn, outputs: Math.max(1, outputs - 1) }, signal);
      return;
    case 'sandbox-slow': {
      const asked = Number(parameters.options?.['seconds'] ?? SECONDS.default);
      const seconds = Number.isFinite(asked) ? Math.min(Math.max(asked, 0), SECONDS.max) : SECONDS.default;
      await sleepUntil(seconds, signal);
      yield* painter.render(drawn, signal);
      return;
    }
    default:
      throw new EngineError('unknown_model', `The sandbox engine has no model "${engineModel}".`);
  }
}

/** @throws the signal's own reason, as an engine must, and not the timer's */
async function sleepUntil(seconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(seconds * 1000, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
