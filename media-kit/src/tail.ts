const maxCharacters = 4000;

/** Keeps the end of what a program says, however much that is. */
export function createTail(): { add: (text: string) => void; text: () => string } {
  let kept = '';
  return {
    add: (text) => {
      kept = (kept + text).slice(-maxCharacters);
    },
    text: () => kept.trim(),
  };
}
