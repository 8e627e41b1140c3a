import type { Random } from './random.ts';

const SIZE = 256;
const MASK = SIZE - 1;
// The plane is rotated between octaves, to hide the grid.
const COS = 0.8;
const SIN = 0.6;

export const createNoise = (random: Random): Noise => new Noise(random);

/**
 * Smooth noise over the plane. One cell is one unit, and coordinates repeat after 256 cells. This is a class instead of
 * a set of closures, because methods and their optimised code are kept from picture to picture.
 */
export class Noise {
  readonly #table: Uint8Array;
  readonly #gradientX: Float32Array;
  readonly #gradientY: Float32Array;
  readonly #values: Float32Array;

  constructor(random: Random) {
    this.#table = permutation(random);
    [this.#gradientX, this.#gradientY] = gradients(random);
    this.#values = Float32Array.from({ length: SIZE }, () => random.next());
  }

  /** About −1 to 1, mean 0. */
  at(x: number, y: number): number {
    return this.#sum(x, y, 1, false) * 2;
  }

  /** Sum of octaves, about −1 to 1. With a fractional number of octaves, the last octave is partly added. */
  fbm(x: number, y: number, octaves: number): number {
    return this.#sum(x, y, octaves, false);
  }

  /** Noise with sharp crests, 0 to about 1. */
  ridged(x: number, y: number, octaves: number): number {
    return this.#sum(x, y, octaves, true);
  }

  /** Perlin's gradient noise, summed in one loop. A call for each octave would cost more than the octave itself. */
  #sum(x: number, y: number, octaves: number, ridged: boolean): number {
    const table = this.#table;
    const gradientX = this.#gradientX;
    const gradientY = this.#gradientY;
    let sum = 0;
    let amplitude = 0.5;
    let previous = 1;
    for (let left = octaves; left > 0; left--) {
      const cellX = Math.floor(x);
      const cellY = Math.floor(y);
      const fx = x - cellX;
      const fy = y - cellY;
      const west = table[cellX & MASK] ?? 0;
      const east = table[(cellX + 1) & MASK] ?? 0;
      const y0 = cellY & MASK;
      const y1 = (cellY + 1) & MASK;
      const a = table[west + y0] ?? 0;
      const b = table[east + y0] ?? 0;
      const c = table[west + y1] ?? 0;
      const d = table[east + y1] ?? 0;
      const u = fx * fx * fx * (fx * (fx * 6 - 15) + 10);
      const v = fy * fy * fy * (fy * (fy * 6 - 15) + 10);
      const topLeft = (gradientX[a] ?? 0) * fx + (gradientY[a] ?? 0) * fy;
      const topRight = (gradientX[b] ?? 0) * (fx - 1) + (gradientY[b] ?? 0) * fy;
      const lowLeft = (gradientX[c] ?? 0) * fx + (gradientY[c] ?? 0) * (fy - 1);
      const lowRight = (gradientX[d] ?? 0) * (fx - 1) + (gradientY[d] ?? 0) * (fy - 1);
      const top = topLeft + (topRight - topLeft) * u;
      const value = (top + (lowLeft + (lowRight - lowLeft) * u - top) * v) * 1.5;
      const share = left < 1 ? amplitude * left : amplitude;
      if (ridged) {
        const crest = 1 - (value < 0 ? -value : value);
        sum += crest * crest * share * previous;
        previous = crest * crest;
      } else sum += value * share;
      const turned = (x * COS - y * SIN) * 2.03 + 5.9;
      y = (x * SIN + y * COS) * 2.03 + 17.3;
      x = turned;
      amplitude *= 0.5;
    }
    return sum;
  }

  /**
   * Fractal heights, smooth on slopes and rough on crests, like land eroded by rain; 0 to about 1. This is value noise
   * whose octaves are weaker where the slope so far is steep (after Inigo Quilez).
   */
  eroded(x: number, y: number, octaves: number): number {
    const table = this.#table;
    const values = this.#values;
    let sum = 0;
    let amplitude = 0.5;
    let slopeX = 0;
    let slopeY = 0;
    for (let left = octaves; left > 0; left--) {
      const cellX = Math.floor(x);
      const cellY = Math.floor(y);
      const fx = x - cellX;
      const fy = y - cellY;
      const u = fx * fx * (3 - 2 * fx);
      const v = fy * fy * (3 - 2 * fy);
      const west = table[cellX & MASK] ?? 0;
      const east = table[(cellX + 1) & MASK] ?? 0;
      const a = values[table[west + (cellY & MASK)] ?? 0] ?? 0;
      const b = values[table[east + (cellY & MASK)] ?? 0] ?? 0;
      const c = values[table[west + ((cellY + 1) & MASK)] ?? 0] ?? 0;
      const d = values[table[east + ((cellY + 1) & MASK)] ?? 0] ?? 0;
      const cross = a - b - c + d;
      slopeX += 6 * fx * (1 - fx) * (b - a + cross * v);
      slopeY += 6 * fy * (1 - fy) * (c - a + cross * u);
      const height = a + (b - a) * u + (c - a) * v + cross * u * v;
      sum += ((left < 1 ? amplitude * left : amplitude) * height) / (1 + slopeX * slopeX + slopeY * slopeY);
      const turned = (x * COS - y * SIN) * 2 + 5.9;
      y = (x * SIN + y * COS) * 2 + 17.3;
      x = turned;
      amplitude *= 0.5;
    }
    return sum;
  }
}

function permutation(random: Random): Uint8Array {
  const order = Uint8Array.from({ length: SIZE }, (_, index) => index);
  for (let index = SIZE - 1; index > 0; index--) {
    const other = random.int(index + 1);
    const kept = order[index] ?? 0;
    order[index] = order[other] ?? 0;
    order[other] = kept;
  }
  // The table is doubled, so that a sum of two bytes needs no mask.
  const doubled = new Uint8Array(SIZE * 2);
  doubled.set(order, 0);
  doubled.set(order, SIZE);
  return doubled;
}

function gradients(random: Random): [Float32Array, Float32Array] {
  const xs = new Float32Array(SIZE);
  const ys = new Float32Array(SIZE);
  for (let index = 0; index < SIZE; index++) {
    const angle = random.next() * Math.PI * 2;
    xs[index] = Math.cos(angle);
    ys[index] = Math.sin(angle);
  }
  return [xs, ys];
}
