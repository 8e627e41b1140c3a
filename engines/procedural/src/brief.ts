import type { EngineRequest, Size } from '@renderkit/engine-kit/engine.ts';
import type { Colour } from './colour.ts';
import { readLook } from './look.ts';
import { readMood, wordsOf } from './prompt-mood.ts';
import { createRandom } from './random.ts';
import { readReferenceColours } from './reference-colours.ts';
import type { Brief } from './scene.ts';

/**
 * Reads a request once. Returns a function that makes the brief of each output.
 *
 * @throws EngineError `unreadable_reference`
 */
export async function readBrief(request: EngineRequest): Promise<(index: number, size: Size) => Brief> {
  const { parameters, prompt, references } = request;
  const colours: Colour[] = await readReferenceColours(references);
  const look = readLook(parameters, colours);
  const mood = readMood(prompt, [...(parameters.styles ?? []), ...(parameters.suggestions ?? [])]);
  return (index, { width, height }) => ({
    width,
    height,
    mood,
    look,
    prompt: wordsOf(prompt).join(' '),
    random: createRandom(canonicalInputs(request, index)),
  });
}

/**
 * Returns the text that determines a picture's layout. Parameters are left out on purpose: a person who moves a slider
 * wants the same picture, changed. The painters read the parameters themselves.
 */
function canonicalInputs({ engineModel, prompt, parameters, seed }: EngineRequest, index: number): string {
  return JSON.stringify([
    engineModel,
    prompt.normalize('NFC').trim(),
    parameters.baseModel ?? '',
    [...(parameters.styles ?? [])],
    [...(parameters.suggestions ?? [])],
    String(parameters.options?.['seed'] ?? seed),
    index,
  ]);
}
