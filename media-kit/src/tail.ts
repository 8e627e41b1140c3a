const maxCharacters = 4000;

/** Keeps only the end of a program's output. */
export function createTail(): { add: (text: string) => void; text: () => string } {
  let kept = '';
  return {
    add: (text) => {
      kept = (kept + text).slice(-maxCharacters);
    },
    text: () => kept.trim(),
  };
}
