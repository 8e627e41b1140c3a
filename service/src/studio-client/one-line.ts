/** A sentence of the studio's, fit to be shown: one line without control characters, of so many characters at most. */
export function oneLine(text: string, maxCharacters: number): string {
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .slice(0, maxCharacters)
    .toWellFormed()
    .trim();
}
