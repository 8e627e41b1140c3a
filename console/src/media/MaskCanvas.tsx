import { VisuallyHidden } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from 'react';
import classes from './mask-painter.module.css';
import type { MaskStep, Point, Size } from './mask-step.ts';
import { drawMask, maskSizeOf, pointOf } from './mask-steps.ts';
import type { MaskImages } from './use-mask-images.ts';

type MaskCanvasProps = {
  address: string;
  image: Size;
  steps: readonly MaskStep[];
  /** The images in the steps. */
  images: MaskImages;
  /** Width of the brush, in pixels of the picture. */
  width: number;
  erase: boolean;
  onStep: (step: MaskStep) => void;
  undo: () => void;
};

/** The color of the mask on the screen. It is rare in images. */
const paint = '#e6399b';
/** The longest side of the drawing on the screen, in pixels. */
const screenSide = 1024;
const arrows: Record<string, Point> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** Shows the image with the mask over it. Draws a stroke at once and calls `onStep` when the stroke ends. */
export function MaskCanvas(props: MaskCanvasProps) {
  const { address, image, steps, images, width, erase } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const help = useId();
  const { cursor, stroke, handlers } = usePainting(props);
  const size = maskSizeOf(image, screenSide);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context === null || context === undefined) return;
    drawMask(context, stroke === undefined ? steps : [...steps, stroke], { size, image, images });
    context.globalCompositeOperation = 'source-in';
    context.fillStyle = paint;
    context.fillRect(0, 0, size.width, size.height);
    context.globalCompositeOperation = 'source-over';
  });
  const ratio = image.width / image.height;
  return (
    <div
      className={classes['stage']}
      style={{ aspectRatio: ratio, width: `min(100%, calc(var(--mask-height, 52vh) * ${ratio}))` }}
    >
      <img className={classes['image']} src={address} alt="" crossOrigin="anonymous" draggable={false} />
      <canvas
        ref={canvas}
        className={classes['canvas']}
        width={size.width}
        height={size.height}
        tabIndex={0}
        role="application"
        aria-label="Painting on the picture"
        aria-describedby={help}
        {...handlers}
      />
      {cursor !== undefined && <Cursor at={cursor} {...{ image, width, erase }} />}
      <VisuallyHidden id={help}>
        Arrow keys move the brush, with Shift in smaller steps. Space paints where it is; Alt and an arrow
        paints on the way. Ctrl and Z takes the last step back. Below, rectangles can be told by numbers.
      </VisuallyHidden>
    </div>
  );
}

/** Returns the position of the brush, its stroke, and the handlers for pointer, touch and keys. */
function usePainting({ image, width, erase, onStep, undo }: MaskCanvasProps) {
  const [points, setPoints] = useState<readonly Point[]>();
  const [cursor, setCursor] = useState<Point>();
  const strokeOf = (of: readonly Point[]): MaskStep => ({ kind: 'stroke', erase, width, points: of });
  const pointer = {
    onPointerDown: (event: PointerEvent<HTMLCanvasElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      event.currentTarget.focus({ preventScroll: true });
      setPoints(pointsOf(event, image));
    },
    onPointerMove: (event: PointerEvent<HTMLCanvasElement>) => {
      const moved = pointsOf(event, image);
      setCursor(moved.at(-1));
      if (points !== undefined) setPoints([...points, ...moved]);
    },
    onPointerUp: () => {
      if (points !== undefined) onStep(strokeOf(points));
      setPoints(undefined);
    },
    onPointerCancel: () => setPoints(undefined),
    onPointerLeave: () => points === undefined && setCursor(undefined),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = cursor ?? { x: image.width / 2, y: image.height / 2 };
    const arrow = arrows[event.key];
    if (arrow !== undefined) {
      const next = movedBy(at, arrow, { by: event.shiftKey ? width / 8 : width / 2, image });
      setCursor(next);
      if (event.altKey) onStep(strokeOf([at, next]));
    } else if (event.key === ' ' || (event.key === 'Enter' && !event.ctrlKey && !event.metaKey)) {
      setCursor(at);
      onStep(strokeOf([at]));
    } else if (event.key === 'z' && (event.ctrlKey || event.metaKey)) undo();
    else return;
    event.preventDefault();
  };
  return {
    cursor,
    stroke: points === undefined ? undefined : strokeOf(points),
    handlers: { ...pointer, onKeyDown, onBlur: () => setCursor(undefined) },
  };
}

/** Returns all points since the last event. Without the points in between, a quick stroke would have corners. */
function pointsOf(event: PointerEvent<HTMLCanvasElement>, image: Size): Point[] {
  const box = event.currentTarget.getBoundingClientRect();
  const between = event.nativeEvent.getCoalescedEvents?.() ?? [];
  return (between.length > 0 ? between : [event]).map(({ clientX, clientY }) =>
    pointOf({ x: clientX, y: clientY }, box, image),
  );
}

function movedBy(at: Point, way: Point, { by, image }: { by: number; image: Size }): Point {
  return {
    x: Math.min(image.width, Math.max(0, at.x + way.x * by)),
    y: Math.min(image.height, Math.max(0, at.y + way.y * by)),
  };
}

type CursorProps = { at: Point; image: Size; width: number; erase: boolean };

/** A circle of the brush's width at its position. */
function Cursor({ at, image, width, erase }: CursorProps) {
  return (
    <span
      className={classes['cursor']}
      data-erase={erase}
      aria-hidden="true"
      style={{
        left: `${(at.x / image.width) * 100}%`,
        top: `${(at.y / image.height) * 100}%`,
        width: `${(width / image.width) * 100}%`,
      }}
    />
  );
}
