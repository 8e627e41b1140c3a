import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { isSandbox } from './model-labels.ts';

type Described = Pick<Model, 'id' | 'name' | 'description'>;

/** Shorter words say too little: `with`, `over`, `blue` stand in many descriptions. */
const minLetters = 5;
/** Words of descriptions that say nothing of what is drawn. */
const ofNoMotif = new Set(['drawn', 'model', 'models', 'picture', 'pictures', 'painted', 'words', 'prompt']);

/**
 * Another model that says of itself that it draws what the prompt names, where the chosen one does not say so.
 * Undefined where there is none: then nothing is known.
 */
export function betterModelFor<M extends Described>(
  prompt: string,
  chosen: M,
  models: readonly M[],
): { model: M; word: string } | undefined {
  const own = wordsOf(chosen.description ?? '');
  const wanted = [...wordsOf(prompt)].filter((word) => !own.has(word));
  if (wanted.length < wordsOf(prompt).size || wanted.length === 0) return undefined;
  for (const model of models) {
    if (model.id === chosen.id || isSandbox(model)) continue;
    const offered = wordsOf(model.description ?? '');
    const word = wanted.find((one) => offered.has(one));
    if (word !== undefined) return { model, word };
  }
  return undefined;
}

/** The longer words of a text, each in its singular as far as an `s` makes the difference. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/\p{Letter}+/gu) ?? [];
  return new Set(
    words
      .filter((word) => !ofNoMotif.has(word))
      .map((word) => word.replace(/(?<=[^s])s$/, ''))
      .filter((word) => word.length >= minLetters),
  );
}
