import { parseJson } from '../../format/json.ts';
import type { MaskStep } from '../../media/mask-step.ts';

// Painted masks of generations are stored in the browser: no server stores their steps, and a sent mask is deleted
// after a day. Masks are large and are the first to be deleted, so they have their own storage entry.

const prefix = 'renderkit-masks-1:';
const maxMasks = 20;
/** The most generations of one mask: more than a burst has. */
const maxRuns = 100;

/** One mask, and the generations that used it, newest first. */
type PaintedMask = { generations: readonly string[]; strokes: readonly MaskStep[] };

/** Returns the mask that was painted in this browser for a recent generation. */
export function readMask(account: string, generation: string): readonly MaskStep[] {
  return read(account).find(({ generations }) => generations.includes(generation))?.strokes ?? [];
}

/**
 * Stores the painted mask of a generation, so that its request can be opened completely. A mask of several generations
 * is stored once. The oldest masks are deleted when the storage is full.
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

/**
 * Deletes the masks of all accounts in this browser, so that `act` has room. Restores them when `act` still returns
 * false.
 */
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
    // A browser may forbid storage. The page works without it.
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
