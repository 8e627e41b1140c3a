const maxCharacters = 255;

/** The name that the sender gave, without folders and characters that do things to a terminal; else one made up. */
export function fileNameOf(given: string | undefined, file: { type: string; extension: string }): string {
  const name = (given ?? '')
    .split(/[/\\]/)
    .at(-1)
    ?.replace(/[\p{C}]/gu, '')
    .trim()
    .slice(0, maxCharacters);
  return name === undefined || name === '' || /^\.+$/.test(name) ? `${file.type}.${file.extension}` : name;
}
