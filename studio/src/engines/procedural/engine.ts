import { setImmediate as nextTurn } from 'node:timers/promises';
import { EngineError, type Engine, type ImageRequest, type RenderedFile } from '../contract.ts';
import { encodePicture } from './encode.ts';
import { finishCanvas } from './finish.ts';
import { readLook } from './look.ts';
import { isProceduralModel, PAINTERS, type ProceduralModel } from './models.ts';
import { readMood, wordsOf } from './prompt-mood.ts';
import { createRandom } from './random.ts';
import { readReferenceColours } from './reference-colours.ts';
import { composeScene, type Brief } from './scene.ts';

/** Pixels per side. */
const SIDES = { min: 64, max: 4096 };
const MAX_OUTPUTS = 16;

/**
 * Draws pictures from words, numbers and noise: no weights, no network, nothing learnt. The same request gives
 * the same bytes on the same machine.
 */
export function createProceduralEngine(): Engine {
  return {
    id: 'procedural',
    kinds: ['image'],
    models: Object.keys(PAINTERS),
    render: renderImages,
  };
}

async function* renderImages(request: ImageRequest, signal: AbortSignal): AsyncGenerator<RenderedFile> {
  const model = checkRequest(request);
  signal.throwIfAborted();
  const look = readLook(request.parameters, await readReferenceColours(request.references));
  const hints = [...(request.parameters.styles ?? []), ...(request.parameters.suggestions ?? [])];
  const mood = readMood(request.prompt, hints);
  for (let index = 0; index < request.outputs; index++) {
    // Drawing holds the thread; between two pictures the signal gets its turn.
    await nextTurn();
    signal.throwIfAborted();
    const brief: Brief = {
      width: request.width,
      height: request.height,
      mood,
      look,
      prompt: wordsOf(request.prompt).join(' '),
      random: createRandom(canonicalInputs(request, model, index)),
    };
    const picture = await draw(brief, model, signal);
    yield { ...picture, index, nsfw: false };
  }
}

async function draw(
  brief: Brief,
  model: ProceduralModel,
  signal: AbortSignal,
): Promise<Omit<RenderedFile, 'index' | 'nsfw'>> {
  try {
    const scene = composeScene(brief);
    const bitmap = finishCanvas(PAINTERS[model](scene), {
      grain: scene.look.grain ? 1 : 0,
      vignette: 0.5,
      contrast: 0.86 + scene.look.weight * 0.14,
      brush: scene.look.brush,
      random: scene.random,
    });
    await nextTurn();
    signal.throwIfAborted();
    return await encodePicture(bitmap);
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new EngineError('render_failed', 'The picture could not be drawn.', { cause });
  }
}

function checkRequest(request: ImageRequest): ProceduralModel {
  const { kind, engineModel, width, height, outputs } = request;
  if (kind !== 'image')
    throw new EngineError('unknown_model', `The procedural engine makes no ${String(kind)}.`);
  if (!isProceduralModel(engineModel)) {
    throw new EngineError('unknown_model', `The procedural engine has no model "${engineModel}".`);
  }
  const sideFits = (side: number) => Number.isInteger(side) && side >= SIDES.min && side <= SIDES.max;
  if (!sideFits(width) || !sideFits(height)) {
    throw new EngineError(
      'invalid_request',
      `Sides must be whole pixels, ${SIDES.min} to ${SIDES.max}; asked ${width}×${height}.`,
    );
  }
  if (!Number.isInteger(outputs) || outputs < 1 || outputs > MAX_OUTPUTS) {
    throw new EngineError('invalid_request', `Outputs must be 1 to ${MAX_OUTPUTS}; asked ${outputs}.`);
  }
  return engineModel;
}

/**
 * What a picture's layout hangs on. Parameters stay out of it on purpose: a person who moves a slider wants the
 * same picture, changed; the painters read the parameters themselves.
 */
function canonicalInputs(request: ImageRequest, model: ProceduralModel, index: number): string {
  return JSON.stringify([
    model,
    request.prompt.normalize('NFC').trim(),
    request.parameters.baseModel ?? '',
    [...(request.parameters.styles ?? [])],
    [...(request.parameters.suggestions ?? [])],
    String(request.parameters.options?.['seed'] ?? request.seed),
    index,
  ]);
}
