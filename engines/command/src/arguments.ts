/**
 * The words of a command with their placeholders filled: `{name}` is what the job sets, `{{` and `}}` are braces. A word that
 * is one placeholder alone becomes as many words as that has; with others around it, the first. Each is one argument,
 * whatever it holds.
 */
export function argumentsOf(run: readonly string[], words: ReadonlyMap<string, readonly string[]>): string[] {
  return run.flatMap((word) => {
    const [, alone] = /^\{([^{}]+)\}$/.exec(word) ?? [];
    if (alone !== undefined) return words.get(alone) ?? [];
    const filled = word.replaceAll(/\{\{|\}\}|\{([^{}]+)\}/g, (found, name: string | undefined) =>
      name === undefined ? found.slice(1) : (words.get(name)?.[0] ?? ''),
    );
    return [filled];
  });
}
