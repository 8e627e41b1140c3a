import type { MaskStep, Point, Size } from './mask-step.ts';

/** The longest side of a mask, in pixels. The studio scales the mask, and a browser limits the size of a canvas. */
export const maxMaskSide = 2048;

/** The part of a canvas's context that draws a mask, so that a test needs no canvas. */
export type MaskContext = Pick<
  CanvasRenderingContext2D,
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'stroke'
  | 'fillRect'
  | 'clearRect'
  | 'drawImage'
  | 'save'
  | 'restore'
  | 'scale'
  | 'globalCompositeOperation'
  | 'lineWidth'
  | 'lineCap'
  | 'lineJoin'
  | 'strokeStyle'
  | 'fillStyle'
>;

/** Returns the size of the mask for an image: the same, or smaller in the same ratio. */
export function maskSizeOf(image: Size, maxSide = maxMaskSide): Size {
  const scale = Math.min(1, maxSide / Math.max(image.width, image.height));
  return {
    width: Math.max(1, Math.round(image.width * scale)),
    height: Math.max(1, Math.round(image.height * scale)),
  };
}

/**
 * Returns the point of the image under a pointer. `box` is where the whole image is shown. The point is rounded to a
 * tenth of a pixel, because stored strokes have thousands of points.
 */
export function pointOf(pointer: Point, box: { left: number; top: number } & Size, image: Size): Point {
  return {
    x: toTenth(((pointer.x - box.left) / Math.max(1, box.width)) * image.width),
    y: toTenth(((pointer.y - box.top) / Math.max(1, box.height)) * image.height),
  };
}

function toTenth(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** Returns a rectangle from percentages of the image. The rectangle stays inside the image. */
export function rectangleOf(
  percent: { left: number; top: number; width: number; height: number },
  image: Size,
): { from: Point; to: Point } {
  const part = (value: number, side: number) => (Math.min(100, Math.max(0, value)) / 100) * side;
  return {
    from: { x: part(percent.left, image.width), y: part(percent.top, image.height) },
    to: {
      x: part(percent.left + percent.width, image.width),
      y: part(percent.top + percent.height, image.height),
    },
  };
}

/** Returns whether a mask may have white pixels. `false` is certain, `true` is likely. */
export function mayShow(steps: readonly MaskStep[]): boolean {
  let shows = false;
  for (const step of steps) {
    if (step.kind === 'nothing') shows = false;
    else if (step.kind === 'everything' || step.kind === 'invert') shows = true;
    else if (step.kind === 'image' || !step.erase) shows = true;
  }
  return shows;
}

/** Returns the id of the upload that is the whole mask: an uploaded mask without any painting on it. */
export function uploadOf([first, ...others]: readonly MaskStep[]): string | undefined {
  return first?.kind === 'image' && others.length === 0 ? first.upload : undefined;
}

type MaskSurface = {
  /** Size of the canvas, which covers the whole image. */
  size: Size;
  image: Size;
  /** Images of the steps of kind `image`, by their PNGs. */
  images: ReadonlyMap<string, CanvasImageSource>;
};

/** Draws the steps in white on transparent. */
export function drawMask(
  context: MaskContext,
  steps: readonly MaskStep[],
  { size, image, images }: MaskSurface,
): void {
  context.clearRect(0, 0, size.width, size.height);
  context.save();
  context.scale(size.width / image.width, size.height / image.height);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.strokeStyle = '#fff';
  context.fillStyle = '#fff';
  for (const step of steps) drawStep(context, step, { image, images });
  context.restore();
}

function drawStep(context: MaskContext, step: MaskStep, { image, images }: Omit<MaskSurface, 'size'>): void {
  const { width, height } = image;
  switch (step.kind) {
    case 'image': {
      const drawn = images.get(step.png);
      context.globalCompositeOperation = 'source-over';
      if (drawn !== undefined) context.drawImage(drawn, 0, 0, width, height);
      return;
    }
    case 'everything':
      context.globalCompositeOperation = 'source-over';
      context.fillRect(0, 0, width, height);
      return;
    case 'nothing':
      context.clearRect(0, 0, width, height);
      return;
    case 'invert':
      context.globalCompositeOperation = 'xor';
      context.fillRect(0, 0, width, height);
      return;
    case 'rectangle':
      context.globalCompositeOperation = step.erase ? 'destination-out' : 'source-over';
      context.fillRect(step.from.x, step.from.y, step.to.x - step.from.x, step.to.y - step.from.y);
      return;
    case 'stroke':
      context.globalCompositeOperation = step.erase ? 'destination-out' : 'source-over';
      drawStroke(context, step);
  }
}

function drawStroke(context: MaskContext, { width, points }: MaskStep & { kind: 'stroke' }): void {
  const [first, ...rest] = points;
  if (first === undefined) return;
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(first.x, first.y);
  // A dot is a line of no length.
  for (const { x, y } of rest.length === 0 ? [first] : rest) context.lineTo(x, y);
  context.stroke();
}
