import { createHash } from 'node:crypto';

/**
 * Creates a stream that depends only on the given text. `canonicalInputs` in `brief.ts` makes the text of a picture.
 */
export const createRandom = (source: string): Random => new Random(source);

/**
 * A deterministic stream of numbers: Chris Doty-Humphrey's sfc32 (128 bits of state, passes PractRand), seeded by
 * SHA-256. Forks are independent, so a feature that draws more numbers never changes another feature.
 */
export class Random {
  readonly #source: string;
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  constructor(source: string) {
    const digest = createHash('sha256').update(source).digest();
    this.#source = source;
    this.#a = digest.readInt32LE(0);
    this.#b = digest.readInt32LE(4);
    this.#c = digest.readInt32LE(8);
    this.#counter = digest.readInt32LE(12);
    for (let warmUp = 0; warmUp < 12; warmUp++) this.next();
  }

  /** In [0, 1). */
  next(): number {
    const result = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return (result >>> 0) / 4294967296;
  }

  range(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** Integer in [0, count). */
  int(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.int(list.length)] ?? list[0];
  }

  /** Roughly normal, mean 0, standard deviation 1, never beyond ±4.3. */
  gaussian(): number {
    let sum = -3;
    for (let count = 0; count < 6; count++) sum += this.next();
    return sum * 1.4142135623730951;
  }

  fork(label: string): Random {
    return new Random(`${this.#source}\u0000${label}`);
  }
}
