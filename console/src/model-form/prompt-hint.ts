import type { Subject } from '@renderkit/contract/console/schemas/model.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { isSandbox } from './model-labels.ts';

type Named = Pick<Model, 'id' | 'name' | 'description'>;

/**
 * Subjects by model id. A model without an entry draws anything. A manifest lists the subjects of its model as
 * `subjects` (`manifests/src/manifest-schema.ts`).
 */
export type SubjectsOf = ReadonlyMap<string, readonly Subject[]>;

export type PromptHint<M> = {
  /** Names of the subjects that the chosen model draws. */
  draws: readonly string[];
  /** Whether the prompt names a subject of the chosen model, and something else too. */
  finds: boolean;
  /**
   * A model that lists a subject in the prompt, else a model without a list of subjects. `undefined` when there is
   * none.
   */
  other: M | undefined;
  /** The subject in the prompt that `other` draws. `undefined` when `other` lists no subjects. */
  by: string | undefined;
};

/**
 * Returns a hint when the chosen model draws only certain subjects and the prompt does not fit them: it names none of
 * them, or also a subject that another model draws. `undefined` when the model draws everything or the prompt is empty.
 */
export function hintFor<M extends Named>(
  prompt: string,
  chosen: M,
  models: readonly M[],
  subjects: SubjectsOf,
): PromptHint<M> | undefined {
  const own = subjects.get(chosen.id);
  const words = wordsOf(prompt);
  if (own === undefined || words.length === 0 || unspaced.test(prompt)) return undefined;
  // The last word may be incomplete while the person types.
  const writing = /[\p{Letter}\p{Number}]$/u.test(prompt) ? words.at(-1) : undefined;
  const isOwn = (word: string) =>
    own.some((one) => names(one, [word], word === writing ? writing : undefined));
  const foreign = words.filter((word) => !isOwn(word));
  const finds = foreign.length < words.length;
  const others = models.filter((model) => model.id !== chosen.id && !isSandbox(model));
  const draws = own.map(({ name }) => name);
  for (const other of others) {
    // Skips a subject that both models draw: the other model may only have more words for it.
    const by = subjects
      .get(other.id)
      ?.find((one) => !(finds && draws.includes(one.name)) && names(one, foreign));
    if (by !== undefined) return { draws, finds, other, by: by.name };
  }
  if (finds) return undefined;
  return { draws, finds, other: others.find(({ id }) => !subjects.has(id)), by: undefined };
}

/** Returns whether words of a prompt name a subject. */
function names({ name, words: own }: Subject, words: readonly string[], writing?: string): boolean {
  const known = [...own.flatMap(wordsOf), ...wordsOf(name).map(singular)];
  return (
    words.some((word) => known.includes(word) || known.includes(singular(word))) ||
    (writing !== undefined && known.some((word) => word.startsWith(writing)))
  );
}

/** Scripts without spaces between words. Subjects cannot be found in them. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const singular = (word: string) => word.replace(/s$/, '');

/** Short words that do not name a subject. */
const littleWords = new Set('a an and at by for from in into my of on or over the to under with'.split(' '));

/** Returns the words of a text in lower case, without accents and short words. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{Mark}/gu, '');
  const words = plain.toLowerCase().match(/[\p{Letter}\p{Number}]+/gu) ?? [];
  return words.filter((word) => !littleWords.has(word));
}
