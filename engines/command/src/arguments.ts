/**
 * Returns the words of a command with their placeholders filled. `{name}` is a value of the job, `{{` and `}}` are
 * literal braces. A word that is only a placeholder becomes one word for each of its values. A placeholder inside a
 * longer word gets its first value. Each word is one argument, whatever it contains. `wordOf` in `driver.ts` keeps a
 * user's text from becoming an option of the program.
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
