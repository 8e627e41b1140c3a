// Types only: the form's values have them too, and programs without a browser's types read those.

/** In pixels of the image that the mask is for; may have fractions. */
export type Point = { x: number; y: number };
export type Size = { width: number; height: number };

/**
 * A mask of elsewhere: a data URL of a PNG in white on nothing, which covers the whole image, and the id of the upload that it
 * is.
 */
export type ImageStep = { kind: 'image'; png: string; upload: string };

/** One step of painting a mask. A mask is drawn from all its steps, so that the last one is easy to undo. */
export type MaskStep =
  | { kind: 'stroke'; erase: boolean; width: number; points: readonly Point[] }
  | { kind: 'rectangle'; erase: boolean; from: Point; to: Point }
  | ImageStep
  | { kind: 'everything' }
  | { kind: 'nothing' }
  | { kind: 'invert' };
