/**
 * The keys for actions on a result, while the result or one of its buttons has the focus. `ResultImage.tsx` carries out
 * the actions.
 */
export const resultKeys = {
  F: 'Make it a favorite',
  E: 'Edit it; go on from a video',
  R: 'Use it as a reference; draw a video anew',
  A: 'Animate it',
  D: 'Download it',
  L: 'Copy its link',
  C: 'Compare it with the next one marked',
  K: 'Keep it',
  X: 'Discard it',
} as const;

export type ResultKey = keyof typeof resultKeys;
