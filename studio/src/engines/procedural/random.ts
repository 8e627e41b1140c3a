import { createHash } from 'node:crypto';

/** A deterministic stream of numbers. Forks are independent, so one feature's appetite never reshuffles another. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  range(low: number, high: number): number;
  /** Integer in [0, count). */
  int(count: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** Roughly normal, mean 0, deviation 1, never beyond ±3. */
  gaussian(): number;
  fork(label: string): Random;
}

/** A stream that depends on nothing but the given text. */
export function createRandom(source: string): Random {
  const digest = createHash('sha256').update(source).digest();
  const next = smallFastCounter(
    digest.readUInt32LE(0),
    digest.readUInt32LE(4),
    digest.readUInt32LE(8),
    digest.readUInt32LE(12),
  );
  const range = (low: number, high: number) => low + (high - low) * next();
  const int = (count: number) => Math.floor(next() * count);
  return {
    next,
    range,
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[int(list.length)] ?? list[0],
    gaussian: () => (next() + next() + next() + next() + next() + next() - 3) * 1.4142135623730951,
    fork: (label) => createRandom(`${source}\u0000${label}`),
  };
}

/** Chris Doty-Humphrey's sfc32: 128 bits of state, passes PractRand, a few integer operations a number. */
function smallFastCounter(a: number, b: number, c: number, counter: number): () => number {
  const step = () => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return (result >>> 0) / 4294967296;
  };
  for (let warmUp = 0; warmUp < 12; warmUp++) step();
  return step;
}
