import type { EngineProgress } from '@renderkit/engine-kit/report.ts';

/**
 * Returns a program's progress from the last match in its output. Two numbers are the steps done and the total; one
 * number is a percentage. Returns an empty object where nothing matches.
 */
export function progressIn(
  printed: string,
  pattern: string,
): Pick<EngineProgress, 'fraction' | 'step' | 'steps'> | Record<string, never> {
  const last = [...printed.matchAll(new RegExp(pattern, 'g'))].at(-1);
  const [done, of] = [Number(last?.[1]), Number(last?.[2])];
  if (last === undefined || !Number.isFinite(done)) return {};
  if (last[2] === undefined) return { fraction: within(done / 100) };
  return of > 0 ? { fraction: within(done / of), step: done, steps: of } : {};
}

function within(fraction: number): number {
  return Math.min(1, Math.max(0, fraction));
}
