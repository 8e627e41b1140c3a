/** Pixels of the picture that the mask is for; fractions are fine. */
export type Point = { x: number; y: number };
export type Size = { width: number; height: number };

/** What was done to a mask. It is drawn by doing all of it again, which makes undoing the last step easy. */
export type MaskStep =
  | { kind: 'stroke'; erase: boolean; width: number; points: readonly Point[] }
  | { kind: 'rectangle'; erase: boolean; from: Point; to: Point }
  | { kind: 'everything' }
  | { kind: 'nothing' }
  | { kind: 'invert' };
