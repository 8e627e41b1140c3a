// Types only, because programs without browser types also read the form's values.

/** In pixels of the mask's image. May have fractions. */
export type Point = { x: number; y: number };
export type Size = { width: number; height: number };

/**
 * A mask that was uploaded: a PNG data URL, white on transparent, which covers the whole image, and the id of the
 * upload.
 */
export type ImageStep = { kind: 'image'; png: string; upload: string };

/**
 * One step of painting a mask. A mask is drawn from all its steps, so that the last one is easy to undo.
 * `mask-steps.ts` draws the steps, and `mask-drawing.ts` makes the mask that is sent.
 */
export type MaskStep =
  | { kind: 'stroke'; erase: boolean; width: number; points: readonly Point[] }
  | { kind: 'rectangle'; erase: boolean; from: Point; to: Point }
  | ImageStep
  | { kind: 'everything' }
  | { kind: 'nothing' }
  | { kind: 'invert' };
