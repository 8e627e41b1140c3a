import type { Canvas } from '@napi-rs/canvas';

/** Draws one moment on a canvas that the next call may draw over. */
export type Shot = (seconds: number) => Canvas | Promise<Canvas>;

/** One that needs nothing but the time. */
export type PlainShot = (seconds: number) => Canvas;

/** Frames per second of every video that is made here. */
export const FRAME_RATE = 24;

/** From 0 to 1 in the time of a video, setting out and arriving gently. */
export function glide(share: number): number {
  const t = Math.min(1, Math.max(0, share));
  const soft = 0.22;
  // A straight run between two short ramps.
  const travelled = (at: number) => (at < soft ? (at * at) / (2 * soft) : at - soft / 2);
  const whole = 1 - soft;
  return t <= 1 - soft ? travelled(t) / whole : 1 - ((1 - t) * (1 - t)) / (2 * soft) / whole;
}
