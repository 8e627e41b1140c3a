import type { EngineProgress } from '@renderkit/engine-kit/report.ts';

/**
 * How far a program says that it is, by the last match in what it printed: two numbers are done and of, one is a percentage.
 * Nothing where it says nothing.
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
