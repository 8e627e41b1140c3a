import type { Canvas } from '@napi-rs/canvas';

/** Draws one moment on a canvas that the next call may draw over. */
export type Shot = (seconds: number) => Canvas | Promise<Canvas>;

/** A shot that only needs the time, without waiting. */
export type PlainShot = (seconds: number) => Canvas;

/** Frames per second of every video that this engine makes. */
export const FRAME_RATE = 24;

/** Returns the progress 0–1 of a movement at a share of a video, with a gentle start and end. */
export function glide(share: number): number {
  const t = Math.min(1, Math.max(0, share));
  const soft = 0.22;
  // Constant speed between two short ramps.
  const travelled = (at: number) => (at < soft ? (at * at) / (2 * soft) : at - soft / 2);
  const whole = 1 - soft;
  return t <= 1 - soft ? travelled(t) / whole : 1 - ((1 - t) * (1 - t)) / (2 * soft) / whole;
}
