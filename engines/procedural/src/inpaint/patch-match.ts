import type { Random } from '../random.ts';

/** A small picture with a hole in it. */
export interface Level {
  readonly width: number;
  readonly height: number;
  /** Three floats per pixel, sRGB 0–1. Inside the hole it is a guess that becomes better. */
  readonly data: Float32Array;
  /** One byte per pixel, 1 in the hole. */
  readonly hole: Uint8Array;
}

/** Half the side of a patch: patches of 5 × 5 pixels are compared. */
const REACH = 2;
const SWEEPS = 3;
/** Cost of a row up or down, in addition to colours: the sky should be continued from the sky. */
const ROW_COST = 4;

/** For each pixel whose patch touches the hole, the most similar pixel whose patch does not; −1 for other pixels. */
export type Nearest = Int32Array;

/**
 * Finds the most similar known patch for each patch at the hole (after Barnes et al., PatchMatch). A neighbour's match
 * is tried first, then guesses that come nearer and nearer. Returns null if no whole patch is known.
 */
export function matchPatches(level: Level, start: Nearest | null, random: Random): Nearest | null {
  const { width, height } = level;
  const known = knownCentres(level);
  if (known.list.length === 0) return null;
  const nearest = new Int32Array(width * height).fill(-1);
  const costs = new Float32Array(width * height);
  const targets = targetsOf(level);
  for (const target of targets) {
    const given = start?.[target] ?? -1;
    const first =
      given >= 0 && known.at[given] === 1 ? given : (known.list[random.int(known.list.length)] ?? 0);
    nearest[target] = first;
    costs[target] = costOf(level, target, first, Infinity);
  }
  const field: Search = { level, known: known.at, nearest, costs, random };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const step = sweep % 2 === 0 ? 1 : -1;
    const from = step > 0 ? 0 : targets.length - 1;
    for (let index = from; index >= 0 && index < targets.length; index += step)
      improve(field, targets[index] ?? 0, step);
  }
  return nearest;
}

interface Search {
  readonly level: Level;
  readonly known: Uint8Array;
  readonly nearest: Nearest;
  readonly costs: Float32Array;
  readonly random: Random;
}

function improve(search: Search, target: number, step: number): void {
  const { level, nearest, random } = search;
  const { width, height } = level;
  const beside = nearest[target - step] ?? -1;
  if (beside >= 0) attempt(search, target, beside + step);
  const above = nearest[target - step * width] ?? -1;
  if (above >= 0) attempt(search, target, above + step * width);
  for (let reach = Math.max(width, height) / 2; reach >= 1; reach /= 2.5) {
    const best = nearest[target] ?? 0;
    const x = (best % width) + Math.round(random.range(-reach, reach));
    const y = Math.floor(best / width) + Math.round(random.range(-reach, reach));
    if (x >= 0 && y >= 0 && x < width && y < height) attempt(search, target, y * width + x);
  }
}

function attempt({ level, known, nearest, costs }: Search, target: number, candidate: number): void {
  if (known[candidate] !== 1) return;
  const limit = costs[target] ?? 0;
  const cost = costOf(level, target, candidate, limit);
  if (cost >= limit) return;
  nearest[target] = candidate;
  costs[target] = cost;
}

/**
 * Returns the squared difference of two patches, and stops early above `limit`. The target's patch is clamped to the
 * picture.
 */
function costOf({ width, height, data }: Level, target: number, candidate: number, limit: number): number {
  const targetX = target % width;
  const targetY = (target - targetX) / width;
  const rows = (targetY - Math.floor(candidate / width)) / height;
  let cost = ROW_COST * rows * rows;
  for (let dy = -REACH; dy <= REACH && cost < limit; dy++) {
    const y = targetY + dy < 0 ? 0 : targetY + dy >= height ? height - 1 : targetY + dy;
    for (let dx = -REACH; dx <= REACH; dx++) {
      const x = targetX + dx < 0 ? 0 : targetX + dx >= width ? width - 1 : targetX + dx;
      const here = (y * width + x) * 3;
      const there = (candidate + dy * width + dx) * 3;
      const red = (data[here] ?? 0) - (data[there] ?? 0);
      const green = (data[here + 1] ?? 0) - (data[there + 1] ?? 0);
      const blue = (data[here + 2] ?? 0) - (data[there + 2] ?? 0);
      cost += red * red + green * green + blue * blue;
    }
  }
  return cost;
}

/** Sets the colours of the hole to the average of the patches over each pixel. */
export function voteColours({ width, height, data, hole }: Level, nearest: Nearest): void {
  const next = new Float32Array(3);
  const voted = Float32Array.from(data);
  for (let pixel = 0; pixel < hole.length; pixel++) {
    if (hole[pixel] === 0) continue;
    next.fill(0);
    const x = pixel % width;
    const y = (pixel - x) / width;
    let votes = 0;
    for (let dy = -REACH; dy <= REACH; dy++) {
      if (y + dy < 0 || y + dy >= height) continue;
      for (let dx = -REACH; dx <= REACH; dx++) {
        if (x + dx < 0 || x + dx >= width) continue;
        const shift = dy * width + dx;
        const from = ((nearest[pixel + shift] ?? 0) - shift) * 3;
        for (let channel = 0; channel < 3; channel++)
          next[channel] = (next[channel] ?? 0) + (data[from + channel] ?? 0);
        votes++;
      }
    }
    for (let channel = 0; channel < 3; channel++) voted[pixel * 3 + channel] = (next[channel] ?? 0) / votes;
  }
  data.set(voted);
}

/** Returns the centres of patches that lie inside the picture and outside the hole, as a list and as a mask. */
function knownCentres({ width, height, hole }: Level): { list: number[]; at: Uint8Array } {
  const at = new Uint8Array(width * height);
  const list: number[] = [];
  for (let y = REACH; y < height - REACH; y++) {
    for (let x = REACH; x < width - REACH; x++) {
      if (touchesHole(hole, width, height, x, y)) continue;
      at[y * width + x] = 1;
      list.push(y * width + x);
    }
  }
  return { list, at };
}

function targetsOf({ width, height, hole }: Level): number[] {
  const targets: number[] = [];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) if (touchesHole(hole, width, height, x, y)) targets.push(y * width + x);
  return targets;
}

function touchesHole(hole: Uint8Array, width: number, height: number, x: number, y: number): boolean {
  const bottom = Math.min(height - 1, y + REACH);
  const right = Math.min(width - 1, x + REACH);
  for (let row = Math.max(0, y - REACH); row <= bottom; row++)
    for (let column = Math.max(0, x - REACH); column <= right; column++)
      if (hole[row * width + column] === 1) return true;
  return false;
}
