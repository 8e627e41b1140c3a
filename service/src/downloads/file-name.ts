/** The most characters of a prompt at the start of a name. */
const maxPromptCharacters = 60;
/** How many characters of the id are used when there is no seed to distinguish files of one prompt. */
const idCharacters = 6;

type Named = {
  prompt: string | null;
  /** `undefined` when no seed is known. */
  seed: number | undefined;
  /** The item's id. */
  id: string;
  /** Without the dot. */
  extension: string;
};

/**
 * Returns the name of a downloaded file, made of the words of its prompt and its seed: `a-calm-sea-at-dusk-4711.png`.
 */
export function fileNameOf({ prompt, seed, id, extension }: Named): string {
  const words = (prompt ?? '').normalize('NFC').match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  let name = '';
  for (const word of words) {
    const longer = name === '' ? word : `${name}-${word}`;
    if (longer.length > maxPromptCharacters) break;
    name = longer;
  }
  return [name === '' ? 'renderkit' : name, seed ?? id.slice(-idCharacters)].join('-') + `.${extension}`;
}

/** Returns the names, with a number added to each repeated name. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const dot = name.lastIndexOf('.');
    let free = name;
    // Some file systems ignore case.
    for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${name.slice(0, dot)}-${n}${name.slice(dot)}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

/**
 * Returns a Content-Disposition that saves a file under a name (RFC 6266): in ASCII for old programs, then in UTF-8.
 */
export function attachmentOf(name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
