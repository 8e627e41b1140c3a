import { createCanvas, type Canvas } from '@napi-rs/canvas';

/** Returns darker corners, to be drawn over each frame. */
export function vignetteOf({ width, height }: { width: number; height: number }, strength: number): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const reach = Math.hypot(width, height) / 2;
  const fall = context.createRadialGradient(width / 2, height / 2, reach * 0.5, width / 2, height / 2, reach);
  fall.addColorStop(0, 'rgba(0,0,0,0)');
  fall.addColorStop(1, `rgba(0,0,0,${strength})`);
  context.fillStyle = fall;
  context.fillRect(0, 0, width, height);
  return canvas;
}
