import { clamp, lerp, smoothstep } from './colour.ts';
import { createGround, enterColumn, shadeGround, treesAt, type Ground } from './ground.ts';
import type { Raster } from './raster.ts';
import type { Scene } from './scene.ts';
import { createTerrain, FAR, heightAt, NEAR, type Terrain } from './terrain.ts';

/** Results of painting the land, for the steps that follow. */
export interface Relief {
  /** 1 for a pixel of water without its reflection yet. */
  readonly water: Uint8Array;
  /** Per column, the row (may be fractional) where land or water begins. */
  readonly skyline: Float32Array;
}

const STEPS = 168;
/** Columns of pixels between two surveyed columns. Finer details, mainly trees, are added for each column. */
const COARSE = 3;
const TALLEST_TREE = 0.85;

/** Draws the terrain over the sky, column by column, from the viewer's feet to the horizon. */
export function paintRelief(raster: Raster, scene: Scene): Relief {
  const terrain = createTerrain(scene);
  const survey = surveyLand(terrain, STEPS, Math.ceil(raster.width / COARSE) + 2, (z) => {
    const pitch = (scene.aspect * z) / scene.width;
    return { left: (0.5 - scene.width / 2) * pitch, cell: COARSE * pitch };
  });
  const ground = createGround(scene, terrain);
  const relief: Relief = {
    water: new Uint8Array(raster.width * raster.height),
    skyline: new Float32Array(raster.width),
  };
  const light = shadeLand(scene, survey);
  const run: Run = {
    column: 0,
    top: 0,
    from: new Float32Array(3),
    joined: false,
    wet: false,
    openRow: -1,
    behind: new Float32Array(3),
  };
  const pass: Pass = { raster, scene, terrain, survey, ground, light, relief, run };
  for (let column = 0; column < raster.width; column++) drawColumn(pass, column);
  return relief;
}

/** Heights on a grid that widens with distance, so that its resolution matches what is visible near and far. */
export interface Survey {
  readonly columns: number;
  readonly depths: Float32Array;
  /** Per row, the position of the first column and the distance between columns. */
  readonly lefts: Float32Array;
  readonly cells: Float32Array;
  /** Row by row from near to far. */
  readonly heights: Float32Array;
}

export function surveyLand(
  terrain: Terrain,
  steps: number,
  columns: number,
  rowAt: (z: number) => { left: number; cell: number },
  /** Below 1, more rows lie far away than near. */
  bias = 1,
): Survey {
  const depths = new Float32Array(steps);
  const lefts = new Float32Array(steps);
  const cells = new Float32Array(steps);
  const heights = new Float32Array(steps * columns);
  for (let step = 0; step < steps; step++) {
    const z = NEAR * (FAR / NEAR) ** ((step / (steps - 1)) ** bias);
    const { left, cell } = rowAt(z);
    depths[step] = z;
    lefts[step] = left;
    cells[step] = cell;
    surveyRow(heights, step * columns, columns, terrain, z, left, cell);
  }
  return { columns, depths, lefts, cells, heights };
}

/** A separate function, so that it is compiled once instead of again for each picture's loop. */
function surveyRow(
  heights: Float32Array,
  from: number,
  columns: number,
  terrain: Terrain,
  z: number,
  left: number,
  cell: number,
): void {
  for (let column = 0; column < columns; column++)
    heights[from + column] = heightAt(terrain, left + column * cell, z);
}

/** Returns the light on each sample, 0–1: it depends on the angle to the sun, and on shadows of the land nearby. */
export function shadeLand(scene: Scene, survey: Survey): Float32Array {
  const { columns, depths, heights, cells } = survey;
  const steps = depths.length;
  const side = scene.sun.x < 0.5 ? -1 : 1;
  const low =
    scene.palette.time === 'sunset' || scene.palette.time === 'dawn' || scene.palette.time === 'dusk';
  const rise = low ? 0.34 : 0.62;
  const length = Math.hypot(0.8, rise, 0.3);
  const [lx, ly, lz] = [(side * 0.8) / length, rise / length, -0.3 / length];
  const light = new Float32Array(heights.length);
  for (let step = 0; step < steps; step++) {
    const z = depths[step] ?? NEAR;
    const cell = cells[step] ?? 1;
    const ahead = Math.min(step + 1, steps - 1);
    const depthCell = Math.max(1e-3, (depths[ahead] ?? z) - (depths[Math.max(0, step - 1)] ?? z));
    let shadow = -1e9;
    for (let walk = 0; walk < columns; walk++) {
      const column = side < 0 ? walk : columns - 1 - walk;
      const index = step * columns + column;
      const here = heights[index] ?? 0;
      const right = heights[index + (column + 1 < columns ? 1 : 0)] ?? here;
      const left = heights[index - (column > 0 ? 1 : 0)] ?? here;
      const far = heights[ahead * columns + column] ?? here;
      const near = heights[Math.max(0, step - 1) * columns + column] ?? here;
      const slopeX = (right - left) / (2 * cell);
      const slopeZ = (far - near) / depthCell;
      const facing = (-slopeX * lx + ly - slopeZ * lz) / Math.sqrt(slopeX * slopeX + slopeZ * slopeZ + 1);
      shadow = Math.max(here, shadow - cell * rise * 0.75);
      const hidden = smoothstep(0.05, 1.1 + z * 0.012, shadow - here);
      light[index] = clamp(facing * 1.25 - 0.05) * (1 - hidden * 0.85);
    }
  }
  return light;
}

interface Pass {
  readonly raster: Raster;
  readonly scene: Scene;
  readonly terrain: Terrain;
  readonly survey: Survey;
  readonly ground: Ground;
  readonly light: Float32Array;
  readonly relief: Relief;
  readonly run: Run;
}

function drawColumn(pass: Pass, column: number): void {
  const { raster, scene, terrain, survey, ground, light, relief, run } = pass;
  const { columns, depths, heights } = survey;
  const horizon = scene.horizon * raster.height;
  const across = ((column + 0.5) / raster.width - 0.5) * scene.aspect;
  enterColumn(ground, (column + 0.5) / raster.width);
  const left = Math.floor(column / COARSE);
  const share = column / COARSE - left;
  run.column = column;
  run.top = raster.height;
  run.joined = false;
  run.openRow = -1;
  for (let step = 0; step < STEPS; step++) {
    const index = step * columns + left;
    const bare = blend(heights, index, share);
    const z = depths[step] ?? NEAR;
    const wet = bare <= 0;
    // Most of the land is hidden. Trees are only computed where a treetop could be visible.
    if (horizon + ((terrain.eye - bare - TALLEST_TREE) / z) * raster.height >= run.top) {
      run.joined = false;
      continue;
    }
    const trees = wet ? 0 : treesAt(ground, across * z, z, step, bare);
    const y = horizon + ((terrain.eye - (wet ? 0 : bare + trees)) / z) * raster.height;
    if (y >= run.top) {
      run.joined = false;
      continue;
    }
    shadeGround(ground, across * z, z, bare, trees, blend(light, index, share));
    fillRun(raster, relief, run, y, ground.colour, wet);
    run.top = y;
    run.from.set(ground.colour);
    run.joined = true;
    run.wet = wet;
  }
  relief.skyline[column] = run.top;
}

const blend = (values: Float32Array, index: number, share: number): number =>
  (values[index] ?? 0) * (1 - share) + (values[index + 1] ?? 0) * share;

/** How far a column is drawn, and what its topmost, partly covered row showed before. */
interface Run {
  column: number;
  top: number;
  readonly from: Float32Array;
  joined: boolean;
  wet: boolean;
  openRow: number;
  readonly behind: Float32Array;
}

/** Fills a column upwards to `y`. A row that is partly covered keeps the rest for the land behind. */
function fillRun(
  raster: Raster,
  relief: Relief,
  run: Run,
  y: number,
  colour: Float32Array,
  wet: boolean,
): void {
  const { width, height, data } = raster;
  const { from, behind, top } = run;
  const span = Math.max(1, top - y);
  const first = Math.max(0, Math.floor(y));
  for (let row = Math.min(height, Math.ceil(top)) - 1; row >= first; row--) {
    const pixel = row * width + run.column;
    const index = pixel * 3;
    if (row !== run.openRow) {
      run.openRow = row;
      behind[0] = data[index] ?? 0;
      behind[1] = data[index + 1] ?? 0;
      behind[2] = data[index + 2] ?? 0;
    }
    const coverage = Math.min(row + 1, top) - Math.max(row, y);
    const t = run.joined && run.wet === wet ? clamp((top - row - 0.5) / span) : 1;
    if (coverage > 0.5) relief.water[pixel] = wet ? 1 : 0;
    const red = lerp(from[0] ?? 0, colour[0] ?? 0, t);
    const green = lerp(from[1] ?? 0, colour[1] ?? 0, t);
    const blue = lerp(from[2] ?? 0, colour[2] ?? 0, t);
    data[index] = (data[index] ?? 0) + (red - (behind[0] ?? 0)) * coverage;
    data[index + 1] = (data[index + 1] ?? 0) + (green - (behind[1] ?? 0)) * coverage;
    data[index + 2] = (data[index + 2] ?? 0) + (blue - (behind[2] ?? 0)) * coverage;
  }
}
