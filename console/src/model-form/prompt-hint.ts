import type { Subject } from '@renderkit/contract/console/schemas/model.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { isSandbox } from './model-labels.ts';

type Named = Pick<Model, 'id' | 'name' | 'description'>;

/** By the id of the model. One that is not there draws whatever words say. */
export type SubjectsOf = ReadonlyMap<string, readonly Subject[]>;

export type PromptHint<M> = {
  /** What the chosen model draws. */
  draws: readonly string[];
  /** Whether the prompt names some of that, and something else beside it. */
  finds: boolean;
  /** A model that says it draws what is asked for, else one that names no subjects; undefined where there is none. */
  other: M | undefined;
  /** The subject by which it does; undefined where it says nothing of subjects. */
  by: string | undefined;
};

/**
 * Tells that the chosen model draws certain subjects only, and that the prompt names none of them, or beside them one that
 * another model draws. Undefined where the model draws everything, and where nothing is written yet.
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
  // A last word may still be in the middle of being written.
  const writing = /[\p{Letter}\p{Number}]$/u.test(prompt) ? words.at(-1) : undefined;
  const isOwn = (word: string) =>
    own.some((one) => names(one, [word], word === writing ? writing : undefined));
  const foreign = words.filter((word) => !isOwn(word));
  const finds = foreign.length < words.length;
  const others = models.filter((model) => model.id !== chosen.id && !isSandbox(model));
  const draws = own.map(({ name }) => name);
  for (const other of others) {
    // Of a subject that both draw the other may only know more words.
    const by = subjects
      .get(other.id)
      ?.find((one) => !(finds && draws.includes(one.name)) && names(one, foreign));
    if (by !== undefined) return { draws, finds, other, by: by.name };
  }
  if (finds) return undefined;
  return { draws, finds, other: others.find(({ id }) => !subjects.has(id)), by: undefined };
}

/** Whether the words of a prompt name a subject. */
function names({ name, words: own }: Subject, words: readonly string[], writing?: string): boolean {
  const known = [...own.flatMap(wordsOf), ...wordsOf(name).map(singular)];
  return (
    words.some((word) => known.includes(word) || known.includes(singular(word))) ||
    (writing !== undefined && known.some((word) => word.startsWith(writing)))
  );
}

/** Scripts that put no spaces between words: what is named cannot be told. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const singular = (word: string) => word.replace(/s$/, '');

/** Little words say nothing of what is to be drawn. */
const littleWords = new Set('a an and at by for from in into my of on or over the to under with'.split(' '));

/** The words of a text, in small letters, without accents. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{Mark}/gu, '');
  const words = plain.toLowerCase().match(/[\p{Letter}\p{Number}]+/gu) ?? [];
  return words.filter((word) => !littleWords.has(word));
}
