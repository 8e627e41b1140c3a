import { parseJson } from '../../format/json.ts';
import type { MaskStep } from '../../media/mask-step.ts';

// What was painted for generations stays in the browser: no server keeps it as steps, and a mask that was sent goes after a
// day. It is large and the first to go, so it has a value of its own in the store.

const prefix = 'renderkit-masks-1:';
const maxMasks = 20;
/** Generations of one mask: more than a burst has. */
const maxRuns = 100;

/** One mask, and the generations that were made with it, the newest first. */
type PaintedMask = { generations: readonly string[]; strokes: readonly MaskStep[] };

/** What was painted for a generation in this browser, of late. */
export function readMask(account: string, generation: string): readonly MaskStep[] {
  return read(account).find(({ generations }) => generations.includes(generation))?.strokes ?? [];
}

/**
 * Keeps what was painted for a generation, so that its request can be taken up whole. A mask that several generations have is
 * kept once; the oldest go where the browser keeps no more.
 */
export function rememberMask(account: string, generation: string, strokes: readonly MaskStep[]): void {
  if (strokes.length === 0) return;
  const text = JSON.stringify(strokes);
  const masks = read(account);
  const same = masks.find((mask) => JSON.stringify(mask.strokes) === text);
  const generations = [generation, ...(same?.generations ?? [])].slice(0, maxRuns);
  let kept = [{ generations, strokes }, ...masks.filter((mask) => mask !== same)].slice(0, maxMasks);
  while (kept.length > 0 && !write(account, kept)) kept = kept.slice(0, -1);
}

/** Forgets every mask in this browser, whoever painted it, so that `act` has room. They stay where even then it returns false. */
export function withoutMasks(act: () => boolean): boolean {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i) ?? '');
    const masks = keys
      .filter((key) => key.startsWith(prefix))
      .map((key) => [key, localStorage.getItem(key) ?? ''] as const);
    for (const [key] of masks) localStorage.removeItem(key);
    if (masks.length > 0 && act()) return true;
    for (const [key, text] of masks) localStorage.setItem(key, text);
  } catch {
    // A browser may forbid it.
  }
  return false;
}

function read(account: string): PaintedMask[] {
  try {
    const value = parseJson(localStorage.getItem(prefix + account) ?? '');
    return Array.isArray(value) ? value : [];
  } catch {
    // A browser may forbid it. The page works without.
    return [];
  }
}

function write(account: string, masks: readonly PaintedMask[]): boolean {
  try {
    localStorage.setItem(prefix + account, JSON.stringify(masks));
    return true;
  } catch {
    return false;
  }
}
