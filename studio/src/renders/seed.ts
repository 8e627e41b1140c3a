import { createHash } from 'node:crypto';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';

/**
 * Returns the requested seed, or else the render's own. If a render has several jobs, `engine-values.ts` adds the
 * number of the job.
 */
export function seedOf({ options: { seed } }: Pick<RenderRequest, 'options'>, render: string): number {
  if (typeof seed === 'number' && seed >= 0) return Math.min(Math.trunc(seed), 2 ** 32 - 1);
  return drawnSeed(render);
}

/** Returns a render's own seed: a second try draws the same image, and no other render has this seed. */
export function drawnSeed(render: string): number {
  return createHash('sha256').update(render).digest().readUInt32LE(0);
}
