/**
 * Makes a text of the studio safe to show: one line without control characters, of at most `maxCharacters` characters.
 */
export function oneLine(text: string, maxCharacters: number): string {
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .slice(0, maxCharacters)
    .toWellFormed()
    .trim();
}
