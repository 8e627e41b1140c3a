import { clamp } from './colour.ts';
import { createNoise, type Noise } from './noise.ts';
import type { Random } from './random.ts';
import type { Raster } from './raster.ts';
import type { Scene } from './scene.ts';

/** How one sampler paints its strokes. Lengths are in units of 1/1000 of the shorter side. */
interface Touch {
  readonly spacing: number;
  readonly length: number;
  readonly width: number;
  readonly alpha: number;
  /** 0–1: how far the bristles spread. */
  readonly bristles: number;
  readonly round: boolean;
}

const TOUCHES: Readonly<Record<'brush' | 'knife' | 'stipple', Touch>> = {
  brush: { spacing: 10.6, length: 29, width: 7.4, alpha: 0.72, bristles: 0.45, round: true },
  knife: { spacing: 12.5, length: 30, width: 13, alpha: 0.86, bristles: 0.12, round: false },
  stipple: { spacing: 7.6, length: 0, width: 7, alpha: 0.85, bristles: 0, round: true },
};

interface Easel {
  readonly raster: Raster;
  /** The lightness of the original picture. Strokes take their colour from the original, not from other strokes. */
  readonly tones: Float32Array;
  readonly scene: Scene;
  readonly touch: Touch;
  readonly random: Random;
  readonly noise: Noise;
}

/**
 * Paints strokes over a finished picture, in the picture's colours. The strokes follow its edges, and are smaller where
 * it has many details, so that details stay readable.
 */
export function paintStrokes(raster: Raster, scene: Scene): void {
  const { brush, weight, detail } = scene.look;
  if (brush === 'smooth') return;
  const touch = TOUCHES[brush];
  const { width, height } = raster;
  const random = scene.random.fork('strokes');
  const easel: Easel = {
    raster,
    tones: tonesOf(raster),
    scene,
    touch,
    random,
    noise: createNoise(random.fork('flow')),
  };
  // At least three pixels. Finer strokes would look like noise, and a small picture would take as long as a large one.
  const spacing = Math.max(3, touch.spacing * scene.unit * (1.25 - detail * 0.4) * (0.7 + weight * 0.3));
  for (let y = spacing / 2; y < height; y += spacing) {
    paintRow(easel, y, width, spacing);
    scene.show?.(0.25 + (0.4 * y) / height, raster);
  }
}

/**
 * Here and below, each row is a function instead of one large loop: a function that is called often stays compiled from
 * picture to picture.
 */
function paintRow(easel: Easel, y: number, width: number, spacing: number): void {
  const { random, touch } = easel;
  for (let x = spacing / 2; x < width; x += spacing) {
    const shiftX = random.range(-0.6, 0.6) * spacing;
    const shiftY = random.range(-0.6, 0.6) * spacing;
    placeStroke(easel, x + shiftX, y + shiftY, spacing / touch.spacing);
  }
}

function tonesOf({ data, width, height }: Raster): Float32Array {
  const tones = new Float32Array(width * height);
  for (let row = 0; row < height; row++) toneRow(data, tones, row * width, width);
  return tones;
}

function toneRow(data: Float32Array, tones: Float32Array, first: number, count: number): void {
  for (let pixel = first, index = first * 3; pixel < first + count; pixel++, index += 3) {
    tones[pixel] = (data[index] ?? 0) * 0.3 + (data[index + 1] ?? 0) * 0.5 + (data[index + 2] ?? 0) * 0.2;
  }
}

function placeStroke(easel: Easel, x: number, y: number, unit: number): void {
  const { raster, tones, scene, touch, random, noise } = easel;
  const { width, height } = raster;
  const reach = 3.2 * unit;
  const slopeX = toneAt(tones, width, height, x + reach, y) - toneAt(tones, width, height, x - reach, y);
  const slopeY = toneAt(tones, width, height, x, y + reach) - toneAt(tones, width, height, x, y - reach);
  const steepness = Math.sqrt(slopeX * slopeX + slopeY * slopeY);
  const calm = 1 - clamp((steepness - 0.02) / 0.16);
  const above = y < scene.horizon * height;
  // Strokes on water stay flat, even where light sparkles on the water.
  const flat = !above && scene.water !== 'none';
  const flow = noise.at((x / width) * 3.1, (y / height) * 3.1) * (above ? 0.55 : 0.22);
  const angle = steepness > 0.043 && !flat ? Math.atan2(slopeX, -slopeY) : flow;
  const size = 0.34 + 0.66 * calm;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const wanted = (touch.length * unit * size * (0.6 + random.next() * 0.8)) / 2;
  // A stroke ends where the colour changes, so that ridges and trunks keep their edges.
  const long = strayOf(easel, x, y, cos * wanted, sin * wanted) < 0.1;
  const short = long || strayOf(easel, x, y, (cos * wanted) / 2, (sin * wanted) / 2) < 0.1;
  const half = long ? wanted : short ? wanted * 0.5 : wanted * 0.28;
  const radius = touch.width * unit * size * (0.7 + random.next() * 0.5) * (long ? 0.5 : 0.32);
  const change = (random.next() - 0.5) * (0.02 + 0.044 * (1 - calm)) * (0.5 + scene.look.weight * 0.5);
  const source = pixelAt(width, height, x, y) * 3;
  layPaint(easel, { x, y, cos, sin, half, radius, change, source });
}

/** Returns the largest difference between the lightness at a stroke's ends and at its middle. */
function strayOf({ raster, tones }: Easel, x: number, y: number, dx: number, dy: number): number {
  const { width, height } = raster;
  const here = toneAt(tones, width, height, x, y);
  return Math.max(
    Math.abs(toneAt(tones, width, height, x + dx, y + dy) - here),
    Math.abs(toneAt(tones, width, height, x - dx, y - dy) - here),
  );
}

function pixelAt(width: number, height: number, x: number, y: number): number {
  return (
    Math.min(height - 1, Math.max(0, Math.round(y))) * width + Math.min(width - 1, Math.max(0, Math.round(x)))
  );
}

function toneAt(tones: Float32Array, width: number, height: number, x: number, y: number): number {
  return tones[pixelAt(width, height, x, y)] ?? 0;
}

interface Stroke {
  readonly x: number;
  readonly y: number;
  readonly cos: number;
  readonly sin: number;
  readonly half: number;
  readonly radius: number;
  readonly change: number;
  readonly source: number;
}

/** Paints a capsule of one colour. Its opacity varies across its width, like the traces of bristles. */
function layPaint({ raster, touch, random }: Easel, stroke: Stroke): void {
  const { width, height, data } = raster;
  const { x, y, cos, sin, half, radius, change, source } = stroke;
  const red = clamp((data[source] ?? 0) + change);
  const green = clamp((data[source + 1] ?? 0) + change);
  const blue = clamp((data[source + 2] ?? 0) + change * 0.9);
  const end = half + (touch.round ? radius : 0);
  const extentY = Math.abs(sin) * end + Math.abs(cos) * radius + 1;
  const extentX = Math.abs(cos) * end + Math.abs(sin) * radius + 1;
  const top = Math.max(0, Math.ceil(y - extentY));
  const bottom = Math.min(height - 1, Math.floor(y + extentY));
  const phase = random.next() + 8;
  const pitch = 0.42 / Math.max(0.8, radius * 0.4);
  const { bristles, round, alpha: opacity } = touch;
  const slant = Math.abs(sin) > 0.02 ? 1 / sin : 0;
  for (let row = top; row <= bottom; row++) {
    const dy = row - y;
    let left = x - extentX;
    let right = x + extentX;
    if (slant !== 0) {
      // Only the part of the row between the two long sides of the stroke.
      const middle = cos * dy * slant;
      const reach = (radius + 1) * Math.abs(slant);
      left = Math.max(left, x + middle - reach);
      right = Math.min(right, x + middle + reach);
    }
    for (let column = Math.max(0, Math.ceil(left)); column <= right && column < width; column++) {
      const dx = column - x;
      const along = Math.abs(cos * dx + sin * dy) - half;
      const across = cos * dy - sin * dx;
      const outside =
        along > 0 && round
          ? Math.sqrt(along * along + across * across) - radius
          : Math.max(Math.abs(across) - radius, along);
      if (outside > 0.5) continue;
      const cover = outside > -0.5 ? 0.5 - outside : 1;
      const hair = across * pitch + phase;
      const bristle = 1 - bristles * Math.abs((hair - Math.floor(hair)) * 2 - 1);
      const alpha = opacity * cover * bristle;
      const index = (row * width + column) * 3;
      const r = data[index] ?? 0;
      const g = data[index + 1] ?? 0;
      const b = data[index + 2] ?? 0;
      data[index] = r + (red - r) * alpha;
      data[index + 1] = g + (green - g) * alpha;
      data[index + 2] = b + (blue - b) * alpha;
    }
  }
}
