import { EngineError, type Engine, type EngineRequest, type RenderedFile } from '../contract.ts';
import { checkRequest } from './check-request.ts';
import { editImages } from './edit-image.ts';
import { generateImages } from './generate-image.ts';
import { type ProceduralModel, PAINTERS } from './models.ts';

/**
 * Draws pictures and films from words, numbers and noise: no weights, no network, nothing learnt. The same request
 * gives the same bytes on the same machine.
 */
export function createProceduralEngine(): Engine {
  return {
    id: 'procedural',
    kinds: ['image', 'image_edit'],
    models: Object.keys(PAINTERS),
    render,
  };
}

async function* render(request: EngineRequest, signal: AbortSignal): AsyncGenerator<RenderedFile> {
  const model = checkRequest(request);
  signal.throwIfAborted();
  try {
    yield* rendererOf(request, model, signal);
  } catch (cause) {
    if (signal.aborted || cause instanceof EngineError) throw cause;
    throw new EngineError('render_failed', 'The drawing broke.', { cause });
  }
}

function rendererOf(
  request: EngineRequest,
  model: ProceduralModel,
  signal: AbortSignal,
): AsyncGenerator<RenderedFile> {
  switch (request.kind) {
    case 'image':
      return generateImages(request, model, signal);
    case 'image_edit':
      return editImages(request, model, signal);
    default:
      throw new EngineError('unknown_model', `The procedural engine makes no ${request.kind}.`);
  }
}
