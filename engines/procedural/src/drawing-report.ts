import { Canvas, createCanvas } from '@napi-rs/canvas';
import type { Report } from '@renderkit/engine-kit/report.ts';
import { type Raster, shrinkRaster, toCanvas } from './raster.ts';

/**
 * Longer side of a preview, in pixels. The limit for all engines is `maxPreviewSide` in `contract/studio/progress.ts`.
 */
const PREVIEW_SIDE = 384;
const PREVIEW_QUALITY = 60;
/** Milliseconds between two reports, because making a report delays the drawing. */
const PAUSE_MS = 400;

/** Receives how much of one output is drawn (0–1), and its current picture. Most calls do nothing. */
export type Show = (drawn: number, picture: Raster | Canvas) => void;

/** Reports the progress of one output. Drawing counts as nine tenths, encoding as the rest. */
export class DrawingReport {
  readonly #report: Report;
  readonly #output: number;
  readonly #outputs: number;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(report: Report, output: number, outputs: number) {
    this.#report = report;
    this.#output = output;
    this.#outputs = outputs;
    this.#progress('rendering', 0);
  }

  readonly show: Show = (drawn, picture) => {
    const now = performance.now();
    if (now - this.#shownAt < PAUSE_MS) return;
    this.#shownAt = now;
    this.#progress('rendering', drawn * 0.9);
    const small = shrink(picture);
    const { width, height } = small;
    const bytes = small.toBuffer('image/jpeg', PREVIEW_QUALITY);
    const own = { width, height };
    this.#report({ type: 'preview', contentType: 'image/jpeg', bytes, output: this.#output, own });
  };

  encoding(): void {
    this.#progress('encoding', 0.9);
  }

  #progress(stage: 'rendering' | 'encoding', share: number): void {
    const fraction = (this.#output + share) / this.#outputs;
    this.#report({ type: 'progress', stage, fraction, outputsDone: this.#output });
  }
}

function shrink(picture: Raster | Canvas): Canvas {
  if (!(picture instanceof Canvas)) return toCanvas(shrinkRaster(picture, PREVIEW_SIDE)).canvas;
  const share = Math.min(1, PREVIEW_SIDE / Math.max(picture.width, picture.height));
  const side = (length: number) => Math.max(1, Math.round(length * share));
  const small = createCanvas(side(picture.width), side(picture.height));
  small.getContext('2d').drawImage(picture, 0, 0, small.width, small.height);
  return small;
}
