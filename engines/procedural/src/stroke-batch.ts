import type { SKRSContext2D } from '@napi-rs/canvas';

/** Draws many thin curves with few calls, because setting a colour and stroking cost more than the curve itself. */
export interface StrokeBatch {
  /** Adds one quadratic curve. Widths are rounded to a fifth of their size. */
  add(style: string, width: number, curve: Curve): void;
  /** Draws the added curves, in the order in which their styles were first added. */
  flush(): void;
}

export type Curve = readonly [x0: number, y0: number, bendX: number, bendY: number, x1: number, y1: number];

export function createStrokeBatch(context: SKRSContext2D): StrokeBatch {
  const groups = new Map<string, { style: string; width: number; curves: Curve[] }>();
  return {
    add: (style, width, curve) => {
      const step = Math.round(Math.log(Math.max(0.05, width)) * 5);
      const key = `${style} ${step}`;
      const group = groups.get(key);
      if (group) group.curves.push(curve);
      else groups.set(key, { style, width: Math.exp(step / 5), curves: [curve] });
    },
    flush: () => {
      for (const { style, width, curves } of groups.values()) {
        context.strokeStyle = style;
        context.lineWidth = width;
        context.beginPath();
        for (const [x0, y0, bendX, bendY, x1, y1] of curves) {
          context.moveTo(x0, y0);
          context.quadraticCurveTo(bendX, bendY, x1, y1);
        }
        context.stroke();
      }
      groups.clear();
    },
  };
}
