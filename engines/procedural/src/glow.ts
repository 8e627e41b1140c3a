import { createCanvas, type Canvas } from '@napi-rs/canvas';

/** Lets bright areas bleed into their surroundings, as a lens does. `strength` 0–1. */
export function bloom(canvas: Canvas, strength: number): void {
  const { width, height } = canvas;
  const context = canvas.getContext('2d');
  const small = createCanvas(Math.max(8, Math.round(width / 8)), Math.max(8, Math.round(height / 8)));
  const glow = small.getContext('2d');
  glow.drawImage(canvas, 0, 0, small.width, small.height);
  // Squaring keeps the lights and removes the dim light around them.
  glow.globalCompositeOperation = 'multiply';
  glow.drawImage(small, 0, 0);
  // The two halos are combined while they are small. The order does not matter for the mode `screen`.
  const halo = createCanvas(small.width, small.height);
  const soft = halo.getContext('2d');
  soft.fillStyle = '#000';
  soft.fillRect(0, 0, halo.width, halo.height);
  soft.globalCompositeOperation = 'screen';
  for (const [radius, share] of [
    [3, 0.55],
    [9, 0.45],
  ] as const) {
    soft.filter = `blur(${((radius * Math.min(small.width, small.height)) / 128).toFixed(2)}px)`;
    soft.globalAlpha = strength * share;
    soft.drawImage(small, 0, 0);
  }
  context.save();
  context.globalCompositeOperation = 'screen';
  // A blurred picture needs no better enlargement.
  context.imageSmoothingQuality = 'low';
  context.drawImage(halo, 0, 0, width, height);
  context.restore();
}

/** Softens the picture: draws a copy over it, blurred by `radius` pixels. */
export function soften(canvas: Canvas, radius: number): void {
  if (radius < 0.3) return;
  const context = canvas.getContext('2d');
  const copy = createCanvas(canvas.width, canvas.height);
  copy.getContext('2d').drawImage(canvas, 0, 0);
  context.save();
  context.globalAlpha = 0.8;
  context.filter = `blur(${radius.toFixed(2)}px)`;
  context.drawImage(copy, 0, 0);
  context.restore();
}
