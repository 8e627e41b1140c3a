const lookalikes: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'i',
};

/**
 * Returns readings of a text. A sign such as ! stands for a letter (f!lm) or ends a word (film!): the text is read both
 * ways.
 */
export function readingsOf(text: string): string[] {
  const folded = fold(text);
  return [folded, folded.replace(/[@$!|]/g, ' ')].map(spell);
}

/** Returns the text in lower case, without accents, full-width forms and invisible characters. */
export const fold = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase();

/**
 * Returns words with one space around each. Digits and signs that stand for letters become letters, and s p e l l e d
 * words are joined. A sign at the end of a word stands for no letter.
 */
export function spell(folded: string): string {
  const plain = folded
    .replace(
      /(?<=\p{L})[013457]|[013457](?=\p{L})|[@$!|](?=[013457@$!|]{0,3}\p{L})/gu,
      (character) => lookalikes[character] ?? character,
    )
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/(?<= |^)(?:\p{L} ){2,}\p{L}(?= |$)/gu, (spelled) => spelled.replaceAll(' ', ''));
  return ` ${plain} `;
}
