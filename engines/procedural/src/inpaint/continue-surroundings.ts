import type { Bitmap } from '../encode.ts';
import type { Random } from '../random.ts';
import { createRaster, type Raster } from '../raster.ts';
import type { Box, Hole } from './hole.ts';
import { matchPatches, voteColours, type Level, type Nearest } from './patch-match.ts';

/** Longer sides of the pictures in which patches are searched, from coarse to fine. Each is twice the one before. */
const SIDES = [60, 120, 240];
const ROUNDS = 3;
/** How far around the hole patches are searched, as a share of its longer side. */
const AROUND = 0.75;

/**
 * Continues the surroundings of a hole into the hole, with pieces of the surroundings. Known pixels in the hole's
 * bounds stay. Returns null if too little of the surroundings is known.
 */
export function continueSurroundings(source: Bitmap, hole: Hole, random: Random): Raster | null {
  const around = growBox(hole.bounds, Math.max(hole.bounds.width, hole.bounds.height) * AROUND, source);
  let level = shrink(source, hole, around, SIDES[0] ?? 0);
  guessColours(level);
  let nearest: Nearest | null = null;
  for (const [index, side] of SIDES.entries()) {
    if (index > 0) {
      const finer = shrink(source, hole, around, side);
      nearest = nearest && refine(nearest, level, finer);
      takeColours(finer, level);
      level = finer;
    }
    for (let round = 0; round < ROUNDS; round++) {
      nearest = matchPatches(level, nearest, random);
      if (nearest === null) return null;
      voteColours(level, nearest);
    }
  }
  return nearest && assemble({ source, hole, box: around, level, nearest, offsets: offsetsAt(level) });
}

function growBox(
  { left, top, width, height }: Box,
  by: number,
  within: { width: number; height: number },
): Box {
  const from = { x: Math.max(0, Math.floor(left - by)), y: Math.max(0, Math.floor(top - by)) };
  return {
    left: from.x,
    top: from.y,
    width: Math.min(within.width, Math.ceil(left + width + by)) - from.x,
    height: Math.min(within.height, Math.ceil(top + height + by)) - from.y,
  };
}

/** Scales the picture down. A cell belongs to the hole if any of its pixels does. */
function shrink(source: Bitmap, { inside }: Hole, box: Box, longSide: number): Level {
  const share = Math.min(1, longSide / Math.max(box.width, box.height));
  const width = Math.max(1, Math.round(box.width * share));
  const height = Math.max(1, Math.round(box.height * share));
  const data = new Float32Array(width * height * 3);
  const hole = new Uint8Array(width * height);
  for (let row = 0, cell = 0; row < height; row++) {
    const top = box.top + Math.floor((row * box.height) / height);
    const bottom = Math.max(top + 1, box.top + Math.floor(((row + 1) * box.height) / height));
    for (let column = 0; column < width; column++, cell++) {
      const left = box.left + Math.floor((column * box.width) / width);
      const right = Math.max(left + 1, box.left + Math.floor(((column + 1) * box.width) / width));
      hole[cell] = averageCell(
        source,
        inside,
        { left, top, width: right - left, height: bottom - top },
        data,
        cell,
      );
    }
  }
  return { width, height, data, hole };
}

/** Averages the pixels of a cell. Returns 1 if the cell touches the hole. */
function averageCell(
  { width, bytes }: Bitmap,
  inside: Uint8Array,
  { left, top, width: wide, height: tall }: Box,
  data: Float32Array,
  cell: number,
): 0 | 1 {
  let [red, green, blue] = [0, 0, 0];
  for (let y = top; y < top + tall; y++) {
    for (let pixel = y * width + left; pixel < y * width + left + wide; pixel++) {
      if (inside[pixel] === 1) return 1;
      red += bytes[pixel * 3] ?? 0;
      green += bytes[pixel * 3 + 1] ?? 0;
      blue += bytes[pixel * 3 + 2] ?? 0;
    }
  }
  const count = wide * tall * 255;
  data[cell * 3] = red / count;
  data[cell * 3 + 1] = green / count;
  data[cell * 3 + 2] = blue / count;
  return 0;
}

/**
 * Makes a first guess: each ring, from the rim inwards, becomes the mean of its known neighbours. Then everything is
 * smoothed.
 */
function guessColours({ width, height, data, hole }: Level): void {
  const open = Uint8Array.from(hole);
  const inner = [...open.keys()].filter((cell) => open[cell] === 1);
  let rest = inner;
  while (rest.length > 0) {
    const ring = rest.filter((cell) => meanAround(cell, width, height, data, open));
    if (ring.length === 0) return;
    for (const cell of ring) open[cell] = 0;
    rest = rest.filter((cell) => open[cell] === 1);
  }
  for (let round = 0; round < EVENINGS; round++)
    for (const cell of inner) meanAround(cell, width, height, data, open);
}

/** Number of smoothing rounds. More rounds would not make a first guess smoother. */
const EVENINGS = 90;

/** Writes the mean of the cells around `cell` that are not `open`. Returns false if there is none. */
function meanAround(
  cell: number,
  width: number,
  height: number,
  data: Float32Array,
  open: Uint8Array,
): boolean {
  const x = cell % width;
  const y = (cell - x) / width;
  let [red, green, blue, count] = [0, 0, 0, 0];
  for (let row = y > 0 ? y - 1 : 0; row <= y + 1 && row < height; row++) {
    // Neighbours in the same row count more than those above and below, because skies and waters have horizontal bands.
    const weight = row === y ? 4 : 1;
    for (let column = x > 0 ? x - 1 : 0; column <= x + 1 && column < width; column++) {
      const near = row * width + column;
      if (open[near] === 1 || near === cell) continue;
      red += (data[near * 3] ?? 0) * weight;
      green += (data[near * 3 + 1] ?? 0) * weight;
      blue += (data[near * 3 + 2] ?? 0) * weight;
      count += weight;
    }
  }
  if (count === 0) return false;
  data[cell * 3] = red / count;
  data[cell * 3 + 1] = green / count;
  data[cell * 3 + 2] = blue / count;
  return true;
}

/** Converts the field of a coarser level into the first guess of a finer level. */
function refine(nearest: Nearest, coarse: Level, fine: Level): Nearest {
  const finer = new Int32Array(fine.width * fine.height).fill(-1);
  for (let y = 0, index = 0; y < fine.height; y++) {
    const row = Math.min(coarse.height - 1, Math.floor((y * coarse.height) / fine.height));
    for (let x = 0; x < fine.width; x++, index++) {
      const column = Math.min(coarse.width - 1, Math.floor((x * coarse.width) / fine.width));
      const found = nearest[row * coarse.width + column] ?? -1;
      if (found < 0) continue;
      const foundX = x + Math.round((((found % coarse.width) - column) * fine.width) / coarse.width);
      const foundY = y + Math.round(((Math.floor(found / coarse.width) - row) * fine.height) / coarse.height);
      if (foundX >= 0 && foundY >= 0 && foundX < fine.width && foundY < fine.height)
        finer[index] = foundY * fine.width + foundX;
    }
  }
  return finer;
}

function takeColours(fine: Level, coarse: Level): void {
  for (let index = 0; index < fine.hole.length; index++) {
    if (fine.hole[index] === 0) continue;
    const column = Math.floor(((index % fine.width) * coarse.width) / fine.width);
    const row = Math.floor((Math.floor(index / fine.width) * coarse.height) / fine.height);
    const from = (row * coarse.width + column) * 3;
    fine.data.set(coarse.data.subarray(from, from + 3), index * 3);
  }
}

/** Largest difference of a cell's colour at the rim that still counts as the same thing in another light. */
const MAX_OFFSET = 0.07;
const EVENINGS_OF_LIGHT = 40;

/** Returns the difference in light between the rim and the pieces, spread inwards: three floats per cell. */
function offsetsAt({ width, height, data, hole }: Level): Float32Array {
  const offsets = new Float32Array(data.length);
  const rim = Float32Array.from(data);
  const within = new Uint8Array(hole.length);
  const inner = [...hole.keys()].filter((cell) => hole[cell] === 1);
  const ring = inner.filter((cell) => meanAround(cell, width, height, rim, hole));
  for (const cell of inner) within[cell] = 1;
  for (const cell of ring) {
    within[cell] = 2;
    for (let index = cell * 3; index < cell * 3 + 3; index++) {
      const off = (rim[index] ?? 0) - (data[index] ?? 0);
      offsets[index] = Math.abs(off) > MAX_OFFSET ? 0 : off;
    }
  }
  // Cells beyond the rim are known, so they have no offset.
  const beyond = Uint8Array.from(within, (kind) => (kind === 0 ? 1 : 0));
  for (let round = 0; round < EVENINGS_OF_LIGHT; round++)
    for (const cell of inner) if (within[cell] === 1) meanAround(cell, width, height, offsets, beyond);
  return offsets;
}

interface Pieces {
  readonly source: Bitmap;
  readonly hole: Hole;
  /** The part of the source that `level` shows. */
  readonly box: Box;
  readonly level: Level;
  readonly nearest: Nearest;
  readonly offsets: Float32Array;
}

/**
 * Moves the picture's own pixels according to the patches. Four patches overlap in each pixel, and the nearest counts
 * most.
 */
function assemble(pieces: Pieces): Raster {
  const { source, hole, box, level } = pieces;
  const { bounds, inside } = hole;
  const raster = createRaster(bounds.width, bounds.height);
  const mean = new Float32Array(3);
  for (let y = bounds.top, to = 0; y < bounds.top + bounds.height; y++) {
    const down = cellAt(y - box.top, box.height, level.height);
    for (let x = bounds.left; x < bounds.left + bounds.width; x++, to += 3) {
      if (inside[y * source.width + x] === 0) copyPixel(source, x, y, raster.data, to);
      else {
        mixPixel(pieces, x, y, cellAt(x - box.left, box.width, level.width), down, mean);
        raster.data.set(mean, to);
      }
    }
  }
  return raster;
}

/** Returns the position of a pixel between the centres of cells. */
const cellAt = (pixel: number, pixels: number, cells: number): number =>
  Math.max(0, Math.min(cells - 1, ((pixel + 0.5) * cells) / pixels - 0.5));

function mixPixel(
  pieces: Pieces,
  x: number,
  y: number,
  across: number,
  down: number,
  mean: Float32Array,
): void {
  const { source, box, level, nearest, offsets } = pieces;
  mean.fill(0);
  for (let corner = 0; corner < 4; corner++) {
    const column = Math.min(level.width - 1, Math.floor(across) + (corner & 1));
    const row = Math.min(level.height - 1, Math.floor(down) + (corner >> 1));
    const weight =
      Math.abs(1 - (corner & 1) - (across - Math.floor(across))) *
      Math.abs(1 - (corner >> 1) - (down - Math.floor(down)));
    if (weight === 0) continue;
    const cell = row * level.width + column;
    const found = nearest[cell] ?? 0;
    const fromX = Math.round(x + (((found % level.width) - column) * box.width) / level.width);
    const fromY = Math.round(y + ((Math.floor(found / level.width) - row) * box.height) / level.height);
    addPixel(source, fromX, fromY, mean, weight);
    for (let channel = 0; channel < 3; channel++)
      mean[channel] = (mean[channel] ?? 0) + (offsets[cell * 3 + channel] ?? 0) * weight;
  }
}

function copyPixel({ width, bytes }: Bitmap, x: number, y: number, data: Float32Array, to: number): void {
  for (let channel = 0; channel < 3; channel++)
    data[to + channel] = (bytes[(y * width + x) * 3 + channel] ?? 0) / 255;
}

function addPixel(
  { width, height, bytes }: Bitmap,
  x: number,
  y: number,
  sum: Float32Array,
  weight: number,
): void {
  const column = x < 0 ? 0 : x >= width ? width - 1 : x;
  const row = y < 0 ? 0 : y >= height ? height - 1 : y;
  const from = (row * width + column) * 3;
  for (let channel = 0; channel < 3; channel++)
    sum[channel] = (sum[channel] ?? 0) + ((bytes[from + channel] ?? 0) / 255) * weight;
}
