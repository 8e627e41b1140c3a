/** Characters of a prompt that a name begins with. */
const maxPromptCharacters = 60;
/** Of an id, where no seed tells files of one prompt apart. */
const idCharacters = 6;

type Named = {
  prompt: string | null;
  /** Undefined where none is known. */
  seed: number | undefined;
  /** The item's id. */
  id: string;
  /** Without the dot. */
  extension: string;
};

/** The name of a downloaded file, of the words of its prompt and its seed: `a-calm-sea-at-dusk-4711.png`. */
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

/** The same names, with a number where one occurs more than once. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const dot = name.lastIndexOf('.');
    let free = name;
    // Not all file systems tell capital letters from others.
    for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${name.slice(0, dot)}-${n}${name.slice(dot)}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

/** A Content-Disposition that saves a file under a name (RFC 6266): in ASCII for old programs, then in UTF-8. */
export function attachmentOf(name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
