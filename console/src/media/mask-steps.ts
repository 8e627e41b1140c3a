import type { MaskStep, Point, Size } from './mask-step.ts';

/** Longer side of an exported mask: the studio scales it, and a browser's canvas has its limits. */
export const maxMaskSide = 2048;

/** What of a canvas's context drawing a mask uses, so that a test needs no canvas. */
export type MaskContext = Pick<
  CanvasRenderingContext2D,
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'stroke'
  | 'fillRect'
  | 'clearRect'
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

/** Size of the mask for a picture: the same, or smaller in the same ratio. */
export function maskSizeOf(picture: Size, maxSide = maxMaskSide): Size {
  const scale = Math.min(1, maxSide / Math.max(picture.width, picture.height));
  return {
    width: Math.max(1, Math.round(picture.width * scale)),
    height: Math.max(1, Math.round(picture.height * scale)),
  };
}

/** Where on the picture a pointer is, given the box in which it is shown whole. */
export function pointOf(pointer: Point, box: { left: number; top: number } & Size, picture: Size): Point {
  return {
    x: ((pointer.x - box.left) / Math.max(1, box.width)) * picture.width,
    y: ((pointer.y - box.top) / Math.max(1, box.height)) * picture.height,
  };
}

/** A rectangle told in percent of the picture. */
export function rectangleOf(
  percent: { left: number; top: number; width: number; height: number },
  picture: Size,
): { from: Point; to: Point } {
  const part = (value: number, side: number) => (Math.min(100, Math.max(0, value)) / 100) * side;
  return {
    from: { x: part(percent.left, picture.width), y: part(percent.top, picture.height) },
    to: {
      x: part(percent.left + percent.width, picture.width),
      y: part(percent.top + percent.height, picture.height),
    },
  };
}

/** Whether anything may be white: false is certain, true is likely. */
export function mayShow(steps: readonly MaskStep[]): boolean {
  let shows = false;
  for (const step of steps) {
    if (step.kind === 'nothing') shows = false;
    else if (step.kind === 'everything' || step.kind === 'invert') shows = true;
    else if (!step.erase) shows = true;
  }
  return shows;
}

/** Draws the steps in white on nothing, on a canvas of `size` that stands for the whole picture. */
export function drawMask(
  context: MaskContext,
  steps: readonly MaskStep[],
  { size, picture }: { size: Size; picture: Size },
): void {
  context.clearRect(0, 0, size.width, size.height);
  context.save();
  context.scale(size.width / picture.width, size.height / picture.height);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.strokeStyle = '#fff';
  context.fillStyle = '#fff';
  for (const step of steps) drawStep(context, step, picture);
  context.restore();
}

function drawStep(context: MaskContext, step: MaskStep, { width, height }: Size): void {
  switch (step.kind) {
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
  // A dot is a line to where it begins.
  for (const { x, y } of rest.length === 0 ? [first] : rest) context.lineTo(x, y);
  context.stroke();
}
