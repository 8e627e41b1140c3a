import { createCanvas, type Canvas } from '@napi-rs/canvas';

/** Lets what is bright bleed into its surroundings, as a lens does. `strength` 0–1. */
export function bloom(canvas: Canvas, strength: number): void {
  const { width, height } = canvas;
  const context = canvas.getContext('2d');
  const small = createCanvas(Math.max(8, Math.round(width / 8)), Math.max(8, Math.round(height / 8)));
  const glow = small.getContext('2d');
  glow.drawImage(canvas, 0, 0, small.width, small.height);
  // Squaring keeps the lights and drops the dusk around them.
  glow.globalCompositeOperation = 'multiply';
  glow.drawImage(small, 0, 0);
  context.save();
  context.globalCompositeOperation = 'screen';
  context.imageSmoothingQuality = 'high';
  for (const [radius, share] of [
    [3, 0.55],
    [9, 0.45],
  ] as const) {
    const blurred = createCanvas(small.width, small.height);
    const soft = blurred.getContext('2d');
    soft.filter = `blur(${((radius * Math.min(small.width, small.height)) / 128).toFixed(2)}px)`;
    soft.drawImage(small, 0, 0);
    context.globalAlpha = strength * share;
    context.drawImage(blurred, 0, 0, width, height);
  }
  context.restore();
}
